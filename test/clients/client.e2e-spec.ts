import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type AssetInput,
  type Compound,
  type CompoundInput,
  type CompoundItem,
  Conflict,
  Forbidden,
  NotFound,
  RegistryClient,
  type Wait,
} from 'asset-registry-client';
import compound from '../../src/asset-types/compound/compound.example.json' with { type: 'json' };
import { findFreePort } from '../../scripts/machine/free-port.js';
import { assetBody, publish, read } from '../support/assets.js';
import { embedded, type TestDatabase } from '../support/databases.js';
import { FaultyProxy } from './faulty-proxy.js';
import { addAssets } from '../support/many-assets.js';
import { migrate } from '../support/migrated.js';
import { ServiceProcess } from '../support/process.js';
import { TestRegistry, zoneAtNoon } from '../support/registry.js';

const DATA = assetBody().data as unknown as AssetInput;
const MANY = 2_500;

describe.each(embedded)('the client of a registry on $name', (kind) => {
  let registry: TestRegistry;
  let proxy: FaultyProxy;
  let client: RegistryClient;
  let waits: Wait[];

  beforeAll(async () => {
    registry = await TestRegistry.start(kind, { TIME_ZONE: zoneAtNoon() });
    proxy = await FaultyProxy.open(registry.url);
  });
  afterAll(async () => {
    await proxy?.close();
    await registry?.stop();
  });
  beforeEach(() => {
    waits = [];
    client = new RegistryClient(proxy.url, { key: 'broker', pollMs: 20, onWait: (wait) => waits.push(wait) });
  });
  afterEach(() => client.close());

  it('dry-runs a creation and a change, which change nothing', async () => {
    const before = (await client.page()).entries;
    const data = compound.data as unknown as CompoundInput;
    const { asset: asIfNew } = await client.create(data, { dryRun: true });
    expect(asIfNew).toMatchObject({ status: 'draft', owner: 'broker', items: data.items });
    expect(asIfNew).not.toHaveProperty('id');
    const { asset, token, etag } = await client.create(data);
    const items = data.items.slice(0, 1);
    const { asset: dryRun } = await client.change(asset.id, { items, title: 'Інша' }, { token, dryRun: true });
    expect(dryRun).toMatchObject({ id: asset.id, title: 'Інша', dateModified: asset.dateModified });
    expect(dryRun.assetType === 'compound' && dryRun.items[2]).toEqual(data.items[0]);
    expect(await client.read(asset.id)).toEqual({ asset, etag });
    expect((await client.page()).entries).toEqual(before);
    const wrong = client.change(asset.id, { title: '' }, { token, dryRun: true });
    await expect(wrong).rejects.toMatchObject({ status: 422, errors: [expect.objectContaining({ name: 'title' })] });
    await expect(client.change(asset.id, {}, { token, dryRun: true, ifMatch: '"x"' })).rejects.toThrow(Conflict);
  });

  it('creates, reads, changes, publishes and deletes an asset', async () => {
    const { asset, token, etag } = await client.create(DATA);
    expect(asset).toMatchObject({ assetType: 'basic', status: 'draft', owner: 'broker', title: DATA.title });
    expect(await client.read(asset.id)).toEqual({ asset, etag });
    expect(await client.read(asset.id, { ifNoneMatch: etag })).toEqual({ etag });
    const changed = await client.change(asset.id, { title: 'Інша', description: null }, { token, ifMatch: etag });
    expect(changed.asset).toMatchObject({ title: 'Інша' });
    expect(changed.asset).not.toHaveProperty('description');
    const published = await client.publish(asset.id, { token });
    expect(published.asset.status).toBe('pending');
    expect((await client.delete(asset.id, { token })).asset.status).toBe('deleted');
    expect((await client.read(asset.id)).asset.status).toBe('deleted');
    expect(await client.read(asset.id, { at: published.asset.dateModified })).toEqual(published);
    await expect(client.read(asset.id, { at: asset.date })).rejects.toThrow(NotFound);
  });

  it('hands an asset over, also when an answer is lost', async () => {
    const heir = new RegistryClient(proxy.url, { key: 'broker2' });
    try {
      const { asset, token } = await client.create(DATA);
      const replaced = await client.requestTransfer(asset.id, { token });
      proxy.lose = 1;
      const { code, expires } = await client.requestTransfer(asset.id, { token });
      expect(Date.parse(expires)).toBeGreaterThan(Date.now());
      await expect(heir.takeOver(asset.id, replaced.code)).rejects.toThrow(Forbidden);
      const taken = await heir.takeOver(asset.id, code);
      expect(taken.asset).toEqual({ ...asset, owner: 'broker2', dateModified: taken.asset.dateModified });
      expect(await heir.read(asset.id)).toEqual({ asset: taken.asset, etag: taken.etag });
      await expect(client.change(asset.id, { title: 'x' }, { token })).rejects.toThrow(Forbidden);
      const back = await heir.requestTransfer(asset.id, { token: taken.token });
      proxy.lose = 1;
      const again = await client.takeOver(asset.id, back.code);
      expect(again.asset.owner).toBe('broker');
      expect((await client.change(asset.id, { title: 'x' }, { token: again.token })).asset.title).toBe('x');
    } finally {
      await heir.close();
    }
  });

  it('links several assets as one, and the error names the obstacles', async () => {
    const concierge = new RegistryClient(proxy.url, { key: 'concierge' });
    const [a, b] = [await publish(registry), await publish(registry)];
    const link = { status: 'active', relatedLot: 'a'.repeat(32) } as const;
    const { etag } = await concierge.read(b.id);
    const wrong = concierge.changeMany([{ id: a.id, ...link }, { id: b.id, ...link, etag: '"0"' }]); // prettier-ignore
    await expect(wrong).rejects.toMatchObject({ name: 'Conflict', errors: [{ name: 'data.1.etag' }] });
    const dryRun = await concierge.changeMany([{ id: b.id, ...link, etag }, { id: a.id, ...link }], { dryRun: true }); // prettier-ignore
    expect(dryRun).toEqual([{ ...b.asset, ...link }, { ...a.asset, ...link }]); // prettier-ignore
    expect(await concierge.read(b.id)).toEqual({ asset: b.asset, etag });
    const linked = await concierge.changeMany([{ id: b.id, ...link, etag }, { id: a.id, ...link }]); // prettier-ignore
    expect(linked.map(({ id, status }) => [id, status])).toEqual([[b.id, 'active'], [a.id, 'active']]); // prettier-ignore
    await concierge.close();
  });

  it('creates one asset when the answer is lost, and has its token', async () => {
    const before = await client.create(DATA);
    proxy.lose = 1;
    const { asset, token } = await client.create(DATA);
    const after = await client.create(DATA);
    const numbers = [before.asset, asset, after.asset].map(({ assetID }) => Number(assetID.split('-').at(-1)));
    expect(numbers[2]).toBe((numbers[0] as number) + 2);
    expect(waits.map(({ reason }) => reason)).toEqual(['connection']);
    expect((await client.publish(asset.id, { token })).asset.status).toBe('pending');
  });

  it('publishes and deletes when the answers are lost', async () => {
    const { asset, token, etag } = await client.create(DATA);
    proxy.lose = 1;
    expect((await client.publish(asset.id, { token, ifMatch: etag })).asset.status).toBe('pending');
    proxy.lose = 2;
    expect((await client.delete(asset.id, { token })).asset.status).toBe('deleted');
  });

  it('adds an item once when the answer is lost', async () => {
    const { asset, token } = await client.create(compound.data as unknown as CompoundInput);
    const before = (asset as Compound).items;
    const { id, ...added } = before[0] as CompoundItem;
    proxy.lose = 1;
    const { items } = (await client.change(asset.id, { items: [added] }, { token })).asset as Compound;
    expect(items).toEqual([...before, { ...added, id: expect.not.stringMatching(id) }]);
    const removed = await client.change(asset.id, { items: { [id]: null } }, { token });
    expect((removed.asset as Compound).items).toEqual(items.slice(1));
  });

  it('has the pages’ entries as texts, byte for byte', async () => {
    const { id } = await publish(registry, { value: { currency: 'UAH', amount: 100 } });
    const page = await client.page({ fields: '*', descending: true, limit: 5 });
    expect(page.texts()[0]).toBe(/^\{"data":(.*)\}$/s.exec((await read(registry, { id })).text)?.[1]);
    expect(page.texts()[0]).toContain('"amount":100.0');
    expect(page.entries[0]).toMatchObject({ id, status: 'pending' });
  });
});

describe.each(embedded)('the client of a large registry on $name', (kind) => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let env: Record<string, string>;

  beforeAll(async () => {
    database = await kind.create();
    await migrate(database.url);
    env = { DATABASE_URL: database.url, PORT: String(await findFreePort()) };
    service = await ServiceProcess.start(env);
    const first = new RegistryClient(service.url, { key: 'broker' });
    const { asset, token } = await first.create(DATA);
    await first.publish(asset.id, { token });
    await first.close();
    await addAssets(database.url, MANY - 1);
  });
  afterAll(async () => {
    await service?.kill('SIGKILL');
    await database?.drop();
  });

  it('sees every change once, in order, over a service that is killed and started again', async () => {
    const reasons = new Set<string>();
    const client = new RegistryClient(service.url, { retries: 100, onWait: ({ reason }) => reasons.add(reason) });
    const seen: string[] = [];
    let starting = Promise.resolve(service);
    for await (const next of client.changes({ limit: 100, fields: '*' })) {
      seen.push(next.dateModified);
      if (seen.length % 1_000 !== 0) continue;
      await (await starting).kill(seen.length === 1_000 ? 'SIGKILL' : 'SIGTERM');
      starting = ServiceProcess.start(env);
    }
    service = await starting;
    expect(seen).toHaveLength(MANY);
    expect(new Set(seen).size).toBe(MANY);
    expect(seen).toEqual(seen.toSorted());
    expect([...reasons]).toContain('connection');
    await client.close();
  });
});
