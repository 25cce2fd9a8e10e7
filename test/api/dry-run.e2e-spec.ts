import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RegistryTime } from '../../src/platform/time/registry-time.js';
import compound from '../../src/asset-types/compound/compound.example.json' with { type: 'json' };
import {
  ASSETS,
  assetBody,
  change,
  changeBy,
  create,
  createFrom,
  createIn,
  type JsonObject,
  LOT,
  type Owned,
  post,
  publish,
  read,
} from '../support/assets.js';
import { databases, embedded } from '../support/databases.js';
import { expectDryRunMatches, type DryRunOptions, sendDryRun } from '../support/dry-runs.js';
import { expectError } from '../support/errors.js';
import { type Reply, TestRegistry, zoneAtNoon } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { storedIn } from '../support/rows.js';

/** DRY_RUNS=100000 tries as many. */
const DRY_RUNS = Number(process.env.DRY_RUNS ?? 150);
const AT_ONCE = 16;
const TEST_MS = Math.max(180_000, DRY_RUNS * 10);
/** Tables that a write changes. */
const WRITTEN = ['asset', 'revision', 'receipt', 'audit', 'asset_sequence', 'feed_clock'];
const time = new RegistryTime('Europe/Kyiv');
const ACTORS = ['owner', 'concierge', 'administrator'];
const ITEM = compound.data.items[0] as JsonObject;
const OWN_ID = 'c'.repeat(32);

const DATA: Record<string, unknown[]> = {
  title: ['Інша земля 🏡', '', 5, null],
  description: ['Опис', '', null],
  quantity: [6, 0.1, 100, -1, 'x'],
  value: [{ amount: 7.5 }, { amount: 100 }, { currency: 'XXX' }, { valueAddedTaxIncluded: null }, { amount: null }],
  address: [{ countryName: 'Україна', locality: 'Львів' }, { countryName: 'Україна', postalCode: null }, null],
  assetCustodian: [{ contactPoint: { telephone: '1' } }, { identifier: { uri: 'x' } }],
  assetType: ['basic', 'castle'],
  status: ['draft', 'pending', 'pending', 'active', 'active', 'complete', 'deleted', 'sold'],
  relatedLot: [LOT, LOT, 'x', null],
  owner: ['broker', 'broker2'],
  rogue: [1],
};
const someOf = (names: readonly string[]): fc.Arbitrary<JsonObject> =>
  fc.record(Object.fromEntries(names.map((name) => [name, fc.constantFrom(...(DATA[name] as unknown[]))])), {
    requiredKeys: [],
  });
/** Few fields, so that many samples are valid. */
const data = fc.subarray(Object.keys(DATA), { maxLength: 3 }).chain(someOf);

describe.each(embedded)('a dry run on $name', (kind) => {
  const registry = servedRegistry(kind, { BODY_LIMIT: '1mb', TIME_ZONE: zoneAtNoon() });
  let pending: Owned;
  const tryPost = (body: unknown, more?: DryRunOptions): Promise<Reply> =>
    sendDryRun(registry, 'POST', ASSETS, body, more);
  const tryPatch = ({ id, token }: Owned, patch: JsonObject, { headers, ...more }: DryRunOptions = {}): Promise<Reply> =>
    sendDryRun(registry, 'PATCH', `${ASSETS}/${id}`, { data: patch }, { headers: { 'X-Access-Token': token, ...headers }, ...more }); // prettier-ignore
  const stored = async (): Promise<string> =>
    (await storedIn(registry, WRITTEN)) + (await registry.send(`${ASSETS}?opt_fields=*`)).text;

  beforeAll(async () => {
    pending = await publish(registry);
  });

  describe('of POST', () => {
    it('is the asset as it would be, without the values that only a creation gives', async () => {
      const reply = await tryPost(assetBody());
      const { id, assetID, date, dateModified, ...asset } = (await post(registry, assetBody())).json.data;
      expect([reply.status, reply.json]).toEqual([200, { data: asset }]);
      expect([id, assetID, date, dateModified].every((given) => typeof given === 'string')).toBe(true);
    });

    it('says so, and has no Location and no ETag', async () => {
      const { headers } = await tryPost(assetBody());
      expect(['dry-run', 'location', 'etag'].map((name) => headers.get(name))).toEqual(['1', null, null]);
      expect(headers.get('access-control-expose-headers')).toContain('Dry-Run');
    });

    it('gives no item an id, and shows those that were sent', async () => {
      const items = [ITEM, { ...ITEM, id: OWN_ID }];
      const reply = await tryPost({ data: { ...compound.data, items } });
      expect(reply.json.data.items.map(({ id }: JsonObject) => id)).toEqual([undefined, OWN_ID]);
    });

    it('must not have an Idempotency-Key: 400 before any other check', async () => {
      for (const key of [undefined, 'broker', 'unknown'])
        expectError(
          await tryPost({}, { ...(key && { key }), headers: { 'Idempotency-Key': 'order-1' } }),
          400,
          'header',
          'Idempotency-Key',
        );
      const headers = { 'Idempotency-Key': 'order-1' };
      const reply = await registry.send(ASSETS, { method: 'POST', key: 'broker', headers, body: assetBody() });
      expect(reply.status).toBe(201);
    });
  });

  describe('of PATCH', () => {
    it('is the asset as it would be, with the dates that it has', async () => {
      const reply = await tryPatch(pending, { title: 'Інша земля', value: { amount: 7 } });
      const value = { ...(pending.asset['value'] as JsonObject), amount: 7 };
      expect([reply.status, reply.json]).toEqual([200, { data: { ...pending.asset, title: 'Інша земля', value } }]);
      expect(['dry-run', 'etag'].map((name) => reply.headers.get(name))).toEqual(['1', null]);
    });
  });

  describe('is requested', () => {
    it.each(['dry_run=true', 'dry_run=Yes', 'dry%5Frun=%31'])('by %s', async (query) => {
      for (const prefix of [ASSETS, '/api/0/assets'])
        expect((await sendDryRun(registry, 'POST', prefix, assetBody(), { query })).status).toBe(200);
      expect((await tryPatch(pending, { title: 'x' }, { query })).headers.get('dry-run')).toBe('1');
    });

    it.each(['dry_run=0', 'dry_run=False', 'dry_run=no', 'dry_run=OFF'])(
      'not by %s: the write is made',
      async (query) => {
        const reply = await tryPost(assetBody(), { query });
        expect([reply.status, reply.headers.get('dry-run')]).toEqual([201, null]);
      },
    );

    it.each([
      ['dry_run=', 'dry_run'],
      ['dry_run=maybe', 'dry_run'],
      ['dry_run=%zz', 'dry_run'],
      ['dry_run=1&dry_run=1', 'dry_run'],
      ['dryRun=1', 'dryRun'],
      ['DRY_RUN=1', 'DRY_RUN'],
      ['%20dry_run=1', ' dry_run'],
      ['dry__run=0', 'dry__run'],
    ])('by %s never: 400 before the key, and nothing is written', async (query, name) => {
      const before = await stored();
      expectError(await tryPost(assetBody(), { query }), 400, 'header', name);
      expectError(await tryPost({}, { query, key: 'unknown' }), 400, 'header', name);
      expectError(await tryPatch(pending, { title: 'written' }, { query }), 400, 'header', name);
      expect(await stored()).toBe(before);
    });

    it.each(['GET', 'HEAD', 'OPTIONS'])('of a write only: %s ignores it', async (method) => {
      for (const query of ['dry_run=1', 'dry_run=yes', 'dry_run=1&dry_run=1', 'dryRun=1']) {
        const reply = await registry.send(`${ASSETS}/${pending.id}?${query}`, { method });
        expect([reply.status < 300, reply.headers.get('dry-run')]).toEqual([true, null]);
      }
      expectError(await registry.send(`${ASSETS}?dry_run=1`, { method: 'PUT' }), 404, 'header', 'path');
    });
  });

  it('is indicated by a refusal as well', async () => {
    const refused = [await tryPost({}), await tryPost({}, { key: 'unknown' }), await tryPatch(pending, { x: 1 })];
    expect(refused.map(({ status, headers }) => [status, headers.get('dry-run')])).toEqual([
      [422, '1'],
      [401, '1'],
      [422, '1'],
    ]);
    expect((await post(registry, {})).headers.get('dry-run')).toBeNull();
  });

  it('of an asset that becomes too large by the ids of its items is refused as the write is', async () => {
    const size = Buffer.byteLength(
      JSON.stringify({ ...compound.data, items: Array.from({ length: 498 }, () => ITEM) }),
    );
    const longer = String(ITEM['description']) + 'x'.repeat((1024 * 1024 - 10_000 - size) / 498);
    const items = Array.from({ length: 498 }, () => ({ ...ITEM, description: longer }));
    const body = { data: { ...compound.data, items } };
    const owned = await createFrom(registry, compound);
    const writes = [await post(registry, body), await change(registry, owned, { items })];
    for (const write of writes) expectError(write, 422, 'body', 'data', 'The fields of an asset take at most 1 MiB');
    expectDryRunMatches(await tryPost(body), writes[0] as Reply);
    expectDryRunMatches(await tryPatch(owned, { items }), writes[1] as Reply);
  });

  it('is answered as the write that follows, whatever is sent', async () => {
    let owned = await publish(registry);
    const step = fc.record({ data, actor: fc.constantFrom(...ACTORS), isNew: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(step, async (one) => {
        const body = assetBody(one.data);
        if (one.isNew) return expectDryRunMatches(await tryPost(body), await post(registry, body));
        const { status } = (await read(registry, owned)).json.data;
        if (['complete', 'deleted'].includes(status)) owned = await createIn(registry, 'active');
        const key = one.actor === 'owner' ? 'broker' : one.actor;
        const reply = await tryPatch(owned, one.data, { key });
        expectDryRunMatches(reply, await changeBy(registry, one.actor, owned, one.data));
      }),
      { numRuns: 60 },
    );
  });

  it(
    `writes nothing, uses no number and moves no clock: ${DRY_RUNS} of them with writers`,
    async () => {
      const owned = await publish(registry);
      const { asset: last } = await create(registry);
      const before = await stored();
      await tryMany(registry, owned, 50);
      expect(await stored()).toBe(before);

      const rows = await countsOf(registry);
      const written: Owned['asset'][] = [];
      let isOver = false;
      const writer = async (): Promise<void> => {
        for (let i = 0; i === 0 || !isOver; i++) {
          const { asset } = await create(registry);
          written.push(asset, (await change(registry, owned, { title: `really ${asset.assetID}` })).json.data);
        }
      };
      const writing = Promise.all([writer(), writer()]);
      await tryMany(registry, owned, DRY_RUNS);
      isOver = true;
      await writing;

      const created = written.filter(({ id }) => id !== owned.id);
      const changed = written.length - created.length;
      const numbers = created.map(({ assetID }) => Number(assetID.slice(-6))).toSorted((a, b) => a - b);
      expect(numbers).toEqual(created.map((_, i) => Number(last.assetID.slice(-6)) + 1 + i));
      const more = [created.length, changed, 0, written.length, 0, 0];
      expect(await countsOf(registry)).toEqual(rows.map((count, i) => count + (more[i] as number)));
      expect((await read(registry, owned)).json.data.title).toMatch(/^really/);
      const [[clock]] = JSON.parse(await storedIn(registry, ['feed_clock'])) as [[{ last_us: number | string }]];
      const instants = written.map(({ dateModified }) => time.parse(dateModified) as number);
      expect(Number(clock.last_us)).toBe(Math.max(...instants));
    },
    TEST_MS,
  );
});

it('a dry run counts against the rate limit as a write on SQLite', async () => {
  const [sqlite] = databases;
  // So slow that no token is refilled meanwhile.
  const env = { RATE_LIMIT: 'on', RATE_LIMIT_WRITES: '0.001/100' };
  await TestRegistry.during(sqlite!, env, async (registry) => {
    const left = async (reply: Promise<Reply>): Promise<number> =>
      Number(/r=(\d+)/.exec(String((await reply).headers.get('ratelimit')))?.[1]);
    const before = await left(post(registry, assetBody()));
    const tries = Array.from({ length: 20 }, () => left(sendDryRun(registry, 'POST', ASSETS, assetBody())));
    expect(Math.min(...(await Promise.all(tries)))).toBe(before - tries.length);
  });
});

async function countsOf(registry: TestRegistry): Promise<number[]> {
  return (JSON.parse(await storedIn(registry, WRITTEN)) as unknown[][]).map(({ length }) => length);
}

/** Half of them are creations. @throws if an answer differs from the dry run's */
async function tryMany(registry: TestRegistry, { id, token }: Owned, count: number): Promise<void> {
  let begun = 0;
  const client = async (): Promise<void> => {
    while (begun < count) {
      const patch = { access: { token }, data: { title: `${begun}`, status: 'deleted' } };
      const { status, text } =
        begun++ % 2 === 0
          ? await sendDryRun(registry, 'POST', ASSETS, assetBody())
          : await sendDryRun(registry, 'PATCH', `${ASSETS}/${id}`, patch);
      expect([status, text]).toEqual([200, expect.not.stringContaining('"access"')]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
}
