import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  ASSETS,
  change,
  changeAs,
  create,
  createIn,
  type JsonObject,
  LOT,
  OTHER_LOT,
  type Owned,
  publish,
  read,
} from '../support/assets.js';
import { databases } from '../support/databases.js';
import { expectDryRunMatches, sendDryRun } from '../support/dry-runs.js';
import { expectError, expectFaultyFields, faultsOf } from '../support/errors.js';
import { microsOf } from '../support/log-watch.js';
import { type Page, readPage } from '../support/pages.js';
import type { Reply } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { everythingStored } from '../support/rows.js';

const UNKNOWN = 'f'.repeat(32);
const LINK = { status: 'active', relatedLot: LOT };

describe.each(databases)('several assets that are changed as one on $name', (kind) => {
  const registry = servedRegistry(kind, { BODY_LIMIT: '1mb' });

  const changeAll = (data: unknown, key = 'concierge', headers: Record<string, string> = {}): Promise<Reply> =>
    registry.send(ASSETS, { method: 'PATCH', key, body: { data }, headers });
  const published = (count: number): Promise<Owned[]> =>
    Promise.all(Array.from({ length: count }, () => publish(registry)));
  const shown = async (owned: readonly Owned[]): Promise<JsonObject[]> =>
    Promise.all(owned.map(async (one) => (await read(registry, one)).json.data));
  const named = (owned: readonly Owned[], data: JsonObject): JsonObject[] => owned.map(({ id }) => ({ id, ...data }));

  it('are answered in the order sent, with consecutive instants, as they are read and listed then', async () => {
    const owned = (await published(20)).toSorted(() => Math.random() - 0.5);
    const { status, json } = await changeAll(named(owned, LINK));
    expect(status).toBe(200);
    const data = json.data as (JsonObject & { id: string; dateModified: string })[];
    expect(data.map(({ id }) => id)).toEqual(owned.map(({ id }) => id));
    const instants = data.map(({ dateModified }) => microsOf(dateModified));
    expect(instants).toEqual(instants.map((_, i) => (instants[0] as number) + i));
    expect(await shown(owned)).toEqual(data);
    const page = await registry.send(`${ASSETS}?limit=20&descending=1`);
    expect(page.json.data.map(({ id }: { id: string }) => id)).toEqual(data.map(({ id }) => id).toReversed());
  });

  it('share milliseconds: an offset that a reader has cut to one gives their page again, and as it came the next one', async () => {
    const { json } = await changeAll(named(await published(20), LINK));
    const cut = (instant: string): string => instant.replace(/\d{3}(?=[+-]\d\d:\d\d$)/, '');
    const instants = (json.data as { dateModified: string }[]).map(({ dateModified }) => dateModified);
    // They may lie in two milliseconds.
    const [begin, end] = [instants[0], instants.at(-1)].map((one) => cut(one as string)) as [string, string];
    const isMostly = (one: string): boolean => instants.filter((instant) => cut(instant) === one).length >= 10;
    const offset = isMostly(begin) ? begin : end;
    const pageAfter = (from: string): Promise<Page> =>
      readPage(registry, `${ASSETS}?limit=5&offset=${encodeURIComponent(from)}`);
    const page = await pageAfter(offset);
    expect(cut(page.next_page.offset)).toBe(offset);
    expect((await pageAfter(cut(page.next_page.offset))).data).toEqual(page.data);
    const next = await pageAfter(page.next_page.offset);
    expect(next.data.filter(({ id }) => page.data.some((entry) => entry.id === id))).toEqual([]);
  });

  it('change differently, and some not at all: those keep their instants, and the others have consecutive ones', async () => {
    const [a, b, c] = (await published(3)) as [Owned, Owned, Owned];
    const { json } = await changeAll([{ id: c.id, ...LINK }, { id: b.id, status: 'pending' }, { id: a.id, relatedLot: OTHER_LOT }]); // prettier-ignore
    expect(json.data).toMatchObject([{ status: 'active' }, b.asset, { status: 'pending', relatedLot: OTHER_LOT }]);
    expect(microsOf(json.data[2].dateModified)).toBe(microsOf(json.data[0].dateModified) + 1);
    expect(await shown([c, b, a])).toEqual(json.data);
  });

  it('change nothing: 200, and all keep their dateModified', async () => {
    const owned = await published(2);
    const { status, json } = await changeAll(named(owned, {}), 'administrator');
    expect([status, json.data]).toEqual([200, owned.map(({ asset }) => asset)]);
    expect(await shown(owned)).toEqual(json.data);
  });

  describe('all stay unchanged if one of them', () => {
    let owned: Owned[];
    beforeAll(async () => {
      owned = [...(await published(2)), await create(registry), await createIn(registry, 'deleted')];
    });
    /** The first is sound; those after it are not. */
    async function refused(others: JsonObject[], status: number, names: string[]): Promise<void> {
      const reply = await changeAll([{ id: (owned[0] as Owned).id, ...LINK }, ...others]);
      expect(faultsOf(reply, status).map(({ location, name }) => `${location} ${name}`)).toEqual(names);
      expect(await shown(owned)).toEqual(owned.map(({ asset }) => asset));
    }
    const second = (data: JsonObject): JsonObject => ({ id: (owned[1] as Owned).id, ...data });

    it('is not there, or has no id: 404 for each', () =>
      refused(
        [{ id: UNKNOWN }, second({ status: 'sold', etag: '"0"' }), { id: 'UA-2017-01-01-000001' }, { id: '' }],
        404,
        ['body data.1.id', 'body data.3.id', 'body data.4.id'],
      ));

    it('has another ETag: 412', () => refused([second({ status: 'sold', etag: '"0"' })], 412, ['body data.1.etag']));

    it('may not be moved: 403 for each, before errors of another', () =>
      refused(
        [second({ relatedLot: 'x' }), { id: (owned[2] as Owned).id, ...LINK }, { id: (owned[3] as Owned).id }],
        403,
        ['body data.2.status', 'body data.3'],
      ));

    it('has a field that may not be written: 403 for each', () =>
      refused([second({ title: 'x', quantity: 7 })], 403, ['body data.1.title', 'body data.1.quantity']));

    it('has an unknown field called data: the error names it in its member', () =>
      refused([second({ data: 1, ...LINK })], 422, ['body data.1.data']));

    it('has faulty fields: 422 for each', () =>
      refused([second({ status: 'sold', relatedLot: 'x' })], 422, ['body data.1.status', 'body data.1.relatedLot']));
  });

  it('are refused with 20 entries at most, the first of each before the second of any', async () => {
    const owned = await published(22);
    const reply = await changeAll(named(owned, { status: 'sold', relatedLot: 'x' }));
    expect(faultsOf(reply, 422).map(({ name }) => name)).toEqual(owned.slice(0, 20).map((_, i) => `data.${i}.status`));
    const few = await changeAll(named(owned.slice(0, 11), { status: 'sold', relatedLot: 'x' }));
    const both = owned.slice(0, 9).flatMap((_, i) => [`data.${i}.status`, `data.${i}.relatedLot`]);
    expect(faultsOf(few, 422).map(({ name }) => name)).toEqual([...both, 'data.9.status', 'data.10.status']);
  });

  it('must have the requested ETags, in any form that a header may have', async () => {
    const owned = await published(4);
    const tags = await Promise.all(owned.map(async (one) => (await read(registry, one)).headers.get('etag') as string));
    const etags = [tags[0], (tags[1] as string).slice(1, -1), '*', `"0", ${tags[3]}`];
    const { status } = await changeAll(owned.map(({ id }, i) => ({ id, ...LINK, etag: etags[i] })));
    expect(status).toBe(200);
  });

  describe('an invalid body', () => {
    it.each([[{}], [undefined]])('of data %j is 422 data', async (data) =>
      expectError(await changeAll(data), 422, 'body', 'data', 'Data not available: {"data": [{...}]} is required'),
    );

    it.each([0, 501])('of %i assets is 422 data', async (count) =>
      expectError(await changeAll(Array.from({ length: count }, () => ({ id: UNKNOWN }))), 422, 'body', 'data'),
    );

    it('of invalid members is 422, and names each', async () => {
      const members = [null, { id: UNKNOWN }, [], {}, { id: 5 }, { id: UNKNOWN }, { id: LOT, etag: null }, 'x'];
      expectFaultyFields(await changeAll(members), 422, ['data.0', 'data.2', 'data.3.id', 'data.4.id', 'data.5.id', 'data.6.etag', 'data.7']); // prettier-ignore
    });
  });

  it.each(['broker', 'broker2'])('are 403 for %s, whatever the body', async (key) => {
    for (const data of [[], {}, [{ id: UNKNOWN }]])
      expectError(await changeAll(data, key), 403, 'header', 'Authorization');
  });

  it('are 401 without a key, and 415 before that', async () => {
    expectError(await changeAll([], 'unknown'), 401, 'header', 'Authorization');
    const reply = await changeAll([], 'unknown', { 'Content-Type': 'text/plain' });
    expectError(reply, 415, 'header', 'Content-Type');
  });

  it('are not bound by If-Match, which is a header of one asset', async () => {
    const owned = await published(1);
    expect((await changeAll(named(owned, LINK), 'concierge', { 'If-Match': '"0"' })).status).toBe(200);
  });

  describe('as a dry run', () => {
    const tryAll = (data: unknown, key = 'concierge'): Promise<Reply> =>
      sendDryRun(registry, 'PATCH', ASSETS, { data }, { key });

    it('are answered as the write that follows, and nothing is changed', async () => {
      const [a, b, c] = (await published(3)) as [Owned, Owned, Owned];
      const data = [{ id: c.id, ...LINK }, { id: a.id }, { id: b.id, relatedLot: OTHER_LOT }];
      const before = await everythingStored(registry);
      const reply = await tryAll(data);
      expect([reply.status, reply.headers.get('dry-run')]).toEqual([200, '1']);
      expect(await everythingStored(registry)).toBe(before);
      const undated = ({ json }: Reply): JsonObject[] =>
        json.data.map((asset: JsonObject) => ({ ...asset, dateModified: '' }));
      expect(undated(reply)).toEqual(undated(await changeAll(data)));
    });

    it.each<[number, JsonObject, string]>([
      [404, { id: UNKNOWN }, 'concierge'],
      [412, { etag: '"0"' }, 'concierge'],
    ])('are refused with %i in the same words if one has %j of a %s', async (status, brought, key) => {
      const data = (await published(2)).map(({ id }, i) => ({ id, ...LINK, ...(i === 1 && brought) }));
      const [reply, written] = [await tryAll(data, key), await changeAll(data, key)];
      expect([written.status, reply.headers.get('dry-run')]).toEqual([status, '1']);
      expectDryRunMatches(reply, written);
    });
  });

  it('take 2 MiB together at most: 413, and nothing is changed', async () => {
    const large = { description: 'ї'.repeat(50_000), items: undefined };
    const owned = await Promise.all(Array.from({ length: 21 }, () => publish(registry, large)));
    expectError(
      await changeAll(named(owned, LINK)),
      413,
      'body',
      'data',
      'The assets of one request take at most 2097152 bytes together: send fewer of them',
    );
    expect((await read(registry, owned[0] as Owned)).json.data.status).toBe('pending');
    expect((await changeAll(named(owned.slice(0, 20), LINK))).status).toBe(200);
  });

  it('are changed together, before or after a concurrent change of one of them', async () => {
    const owned = await published(6);
    const one = owned[3] as Owned;
    const replies = await Promise.all([
      changeAll(named(owned, LINK)),
      change(registry, one, { title: 'Інша' }),
      changeAs(registry, 'administrator', one.id, { relatedLot: OTHER_LOT }),
      changeAll(named(owned.toReversed(), LINK), 'administrator'),
    ]);
    const statuses = replies.map(({ status }) => status);
    expect([statuses[0], statuses[3]]).toEqual([200, 200]);
    const states = (await shown(owned)).map(({ status }) => status);
    expect(new Set(states)).toEqual(new Set(['active']));
  });
});
