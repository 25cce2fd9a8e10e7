import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Asset, type Entry, EpochChanged, Invalid, RegistryClient } from 'asset-registry-client';
import claimRights from '../../src/asset-types/claim-rights/claim-rights.example.json' with { type: 'json' };
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import {
  assetBody,
  change,
  changeAs,
  create,
  createFrom,
  type JsonObject,
  type Owned,
  publish,
} from '../support/assets.js';
import { runWithClient } from '../support/built-client.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { TestRegistry } from '../support/registry.js';
import { until } from '../support/until.js';

const [sqlite] = databases as [TestDatabaseKind];
const EXAMPLES = readdirSync('docs/examples').filter((file) => file.endsWith('.ts'));
const MAX_LINES = 30;
/** Region, locality, code of the classification and of the custodian, amount. */
const PLACES = [
  ['м. Київ', 'Київ', '70110000-8', '11111111', 1_000_000],
  ['Київська область', 'Софіївка', '70110000-8', '22222222', 70_000],
  ['Львівська область', 'Львів', '34110000-1', '22222222', 49_999.99],
  ['Львівська область', 'с. Софіївка', '34120000-4', '22222222', 900],
  ['Львівська область', 'Стрий', '34110000-1', '11111111', 50_000],
  ['Одеська область', 'Одеса', '34110000-1', '33333333', 100],
] as const;

function bodyOf([region, locality, code, custodian, amount]: readonly [string, string, string, string, number]): {
  data: JsonObject;
} {
  const body = assetBody({ title: `${locality} ${amount}` });
  const data = body.data as Record<string, JsonObject>;
  Object.assign(data['address'] as JsonObject, { region, locality });
  Object.assign(data['classification'] as JsonObject, { scheme: 'CPV', id: code });
  Object.assign(data['assetCustodian']?.['identifier'] as JsonObject, { id: custodian });
  Object.assign(data['value'] as JsonObject, { currency: 'UAH', amount });
  return body;
}

describe('a search with the client, on SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'registry-examples-'));
  let registry: TestRegistry;
  let client: RegistryClient;
  let owned: Owned[];
  let assets: Asset[];

  beforeAll(async () => {
    registry = await TestRegistry.start(sqlite, { SEARCH_INDEX: join(folder, 'index.sqlite') });
    client = new RegistryClient(registry.url);
    owned = [];
    for (const place of PLACES) {
      const one = await createFrom(registry, bodyOf(place));
      await change(registry, one, { status: 'pending' });
      owned.push(one);
    }
    await create(registry);
    assets = await Promise.all(owned.map(async ({ id }) => (await client.read(id)).asset));
    await until(async () => (await client.searchPage()).total === PLACES.length);
  });
  afterAll(async () => {
    await client?.close();
    await registry?.stop();
    removeFolder(folder);
  });

  async function all<T>(found: AsyncIterable<T>): Promise<T[]> {
    const entries: T[] = [];
    for await (const entry of found) entries.push(entry);
    return entries;
  }

  it('hands out all that is found, over as many pages as there are', async () => {
    expect(await all(client.search({ limit: 2, sort: 'dateModified', fields: '*' }))).toEqual(assets);
    expect(await all(client.search({ limit: 2, region: ['Київ', 'ОДЕСЬКА'], fields: '*' }))).toEqual([
      assets[5],
      assets[0],
    ]);
    const entries: Entry[] = await all(client.search({ currency: 'UAH', sort: '-value', fields: ['title'] }));
    expect(entries.map(({ title }) => title)).toEqual([0, 1, 4, 2, 3, 5].map((i) => assets[i]?.title));
    expect(Object.keys(entries[0] as Entry)).toEqual(['id', 'dateModified', 'title']);
    expect(await all(client.search({ q: 'nowhere' }))).toEqual([]);
  });

  it('supports every filter, and lists of values', async () => {
    const [, , vehicle] = assets as [Asset, Asset, Asset];
    const found = client.search({
      q: 'львів',
      status: ['pending', 'active'],
      assetType: ['basic', 'compound'],
      region: ['Львівська область', 'м. Київ'],
      custodian: ['22222222', '11111111'],
      classification: 'CPV:3411',
      owner: 'broker',
      currency: 'UAH',
      valueFrom: 1,
      valueTo: '49999.99',
      modifiedFrom: vehicle.dateModified,
      modifiedTo: assets[3]?.dateModified as string,
    });
    expect(await all(found)).toEqual([{ id: vehicle.id, dateModified: vehicle.dateModified }]);
    expect(await all(client.search({ currency: 'UAH', valueTo: 0.000_000_5 }))).toEqual([]);
    expect(await all(client.search({ status: [], relatedLot: 'a'.repeat(32) }))).toEqual([]);
  });

  it('gives a page’s total, facets and the instant up to which changes are indexed', async () => {
    const page = await client.searchPage({ limit: 2, facets: ['region', 'status'] });
    expect(page).toMatchObject({
      total: PLACES.length,
      isTotalExact: true,
      indexedUpTo: assets.at(-1)?.dateModified,
      facets: { status: { pending: PLACES.length }, region: { 'Львівська область': 3, 'м. Київ': 1 } },
    });
    const next = await client.searchPage({ limit: 2, offset: page.nextOffset, fields: '*' });
    expect(next.entries).toEqual([assets[3], assets[2]]);
    expect(next.facets).toEqual({});
  });

  it('is refused with invalid filters, and aborted by a signal', async () => {
    await expect(client.searchPage({ valueFrom: 1 })).rejects.toThrow(Invalid);
    // @ts-expect-error no such filter
    await expect(all(client.search({ statuss: ['pending'] }))).rejects.toThrow(/statuss/);
    const signal = AbortSignal.abort(new Error('not wanted'));
    await expect(all(client.search({ signal }))).rejects.toThrow('not wanted');
  });

  describe('is all that a program needs:', () => {
    const run = (example: string, ...words: string[]): Promise<string[]> =>
      runWithClient(readFileSync(join('docs/examples', example), 'utf8'), [registry.url, ...words]);
    const shown = (i: number): string => `${assets[i]?.assetID} ${assets[i]?.title}`;

    it('one-region.ts', async () => {
      const [head, ...lines] = await run('one-region.ts', 'Львівська область');
      expect(head).toBe('Львівська область: 3');
      expect(lines).toEqual([4, 3, 2].map((i) => `${assets[i]?.assetID} pending ${assets[i]?.title}`));
      expect(await run('one-region.ts', 'м. Київ')).toHaveLength(2);
    });

    it('private-cache.ts', async () => {
      const file = join(folder, 'cache.json');
      expect(await run('private-cache.ts', 'basic', file)).toEqual([`6 changed, 6 in ${file}`]);
      await change(registry, owned[0] as Owned, { description: 'changed' });
      const { asset } = await client.read((owned[0] as Owned).id);
      await until(async () => (await client.searchPage({ modifiedFrom: asset.dateModified })).total === 1);
      assets[0] = asset;
      expect(await run('private-cache.ts', 'basic', file)).toEqual([`1 changed, 6 in ${file}`]);
      const { assets: kept } = JSON.parse(readFileSync(file, 'utf8')) as { assets: JsonObject };
      expect(kept).toEqual(Object.fromEntries(assets.map((one) => [one.id, one])));
    });

    it('village-watch.ts', async () => {
      await publish(registry, { title: 'Софіївка' });
      expect(await run('village-watch.ts', 'Софіївка', assets[1]?.date as string)).toEqual([1, 3].map(shown));
      expect(await run('village-watch.ts', 'Софіївка', assets[2]?.date as string)).toEqual([shown(3)]);
      const day = String(assets[1]?.date).slice(0, 'YYYY-MM-DD'.length);
      expect(await run('village-watch.ts', 'Софіївка', day)).toEqual([1, 3].map(shown));
    });

    it('cheap-vehicles.ts', async () => {
      expect(await run('cheap-vehicles.ts')).toEqual([`900 ${shown(3)}`, `49999.99 ${shown(2)}`]);
    });

    it('count-per-custodian.ts', async () => {
      const claim = await createFrom(registry, claimRights);
      await change(registry, claim, { status: 'pending' });
      expect((await changeAs(registry, 'concierge', claim.id, { status: 'verification' })).status).toBe(200);
      await until(async () => (await client.searchPage({ status: ['verification'] })).total === 1);
      const counts = await run('count-per-custodian.ts');
      expect(counts.slice(0, 2)).toEqual(['3 22222222', '2 11111111']);
      expect(counts).toContain(`1 ${claimRights.data.assetCustodian.identifier.id}`);
    });

    it('and every one is short, without an expression to search text', () => {
      expect(EXAMPLES).toHaveLength(5);
      for (const example of EXAMPLES) {
        const source = readFileSync(join('docs/examples', example), 'utf8');
        expect(source.split('\n').length - 1).toBeLessThanOrEqual(MAX_LINES);
        expect(source).not.toMatch(/RegExp|\/[a-z]*\.(?:test|exec)\(|\.(?:match|matchAll|replace)\(/);
      }
    });
  });

  it('follows matching assets as they change, and resumes after the last one delivered', async () => {
    const filter = { region: ['Lviv'], currency: 'UAH', valueFrom: 900 };
    const known = [2, 3, 4].map((i) => assets[i]?.dateModified);
    const seen: string[] = [];
    const [from, epoch] = [String(known[0]), (await client.page({ limit: 1 })).epoch];
    const changes = client.changes({ filter, from, epoch, follow: true, fields: '*', limit: 1 });
    for await (const one of changes) {
      seen.push(one.dateModified);
      expect(one.asset).toMatchObject({ address: { region: expect.stringMatching(/^Льв/) } });
      one.ack();
      if (seen.length === 2) {
        await publish(registry);
        const made = await createFrom(registry, bodyOf(['Львiвська обл.', 'Броди', '70110000-8', '11111111', 1_000]));
        await change(registry, made, { status: 'pending' });
      }
      if (seen.length === 3) break;
    }
    expect(seen.slice(0, 2)).toEqual(known.slice(1));
    expect(changes.acknowledged).toBe(seen[2]);
    await expect(all(client.changes({ filter, epoch: 'another' }))).rejects.toThrow(EpochChanged);
  });
});
