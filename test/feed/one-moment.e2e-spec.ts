import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FeedReader } from '../../src/database/readers/feed-reader.js';
import { PAGE_BYTES } from '../../src/database/readers/page-size-limit.js';
import { ASSETS, change, LOT, type Owned, OTHER_LOT, publish } from '../support/assets.js';
import { databases } from '../support/databases.js';
import { loadServiceHere } from '../support/loaded-service.js';
import { TestRegistry } from '../support/registry.js';

loadServiceHere();

/** No other request uses this limit, so it identifies the reads of the tested page. */
const LIMIT = 77;
const LARGE = { description: 'ї'.repeat(50_000) };
const MANY = 30;
/** As many large ones as may be changed as one. */
const A_GROUP = 15;

type Listed = { id: string; dateModified: string; relatedLot?: string; description?: string };
type Work = () => Promise<unknown>;

/** Does works while the next page is read: before its first statement, its read point and its second statement. */
function beside(...works: [Work, Work, Work]): void {
  // oxlint-disable-next-line typescript/unbound-method -- both are called with their reader
  const { read, readPoint } = FeedReader.prototype;
  let done = 0;
  const work = async (index: number): Promise<void> => {
    if (done === index) await works[done++]?.();
  };
  jest.spyOn(FeedReader.prototype, 'read').mockImplementation(async function (this: FeedReader, range) {
    if (range.limit === LIMIT) await work(done === 0 ? 0 : 2);
    return read.call(this, range);
  });
  jest.spyOn(FeedReader.prototype, 'readPoint').mockImplementation(async function (this: FeedReader) {
    await work(1);
    return readPoint.call(this);
  });
}

describe.each(databases)('a page of $name while assets are changed as one', (kind) => {
  let registry: TestRegistry;
  /** A second process: the first one does not know whether its transactions are over. */
  let elsewhere: TestRegistry;
  let other: Owned;
  const isTorn = kind.name === 'MariaDB';

  const link = async (group: readonly Owned[], relatedLot: string): Promise<Listed[]> => {
    const data = group.map(({ id }) => ({ id, status: 'active', relatedLot }));
    return (await registry.send(ASSETS, { method: 'PATCH', key: 'concierge', body: { data } })).json.data;
  };
  const touch = (sender: TestRegistry) => (): Promise<unknown> => change(sender, other, { title: `${Math.random()}` });
  const end = async (): Promise<string> =>
    (await registry.send(`${ASSETS}?limit=1&descending=1`)).json.next_page.offset;
  const page = async (offset: string, fields: string) =>
    (await registry.send(`${ASSETS}?limit=${LIMIT}&offset=${encodeURIComponent(offset)}&opt_fields=${fields}`)).json;

  beforeAll(async () => {
    registry = await TestRegistry.start(kind);
    elsewhere = isTorn ? await TestRegistry.startOn(registry.databaseUrl) : registry;
    other = await publish(registry);
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(async () => {
    if (isTorn) await elsewhere?.close();
    await registry?.stop();
  });

  it.each(['', 'relatedLot'])(
    'and one of them again shows all of the group or none (opt_fields=%s)',
    async (fields) => {
      const group = [await publish(registry), await publish(registry), await publish(registry)];
      const offset = await end();
      let linked: Listed[] = [];
      beside(
        touch(elsewhere),
        async () => (linked = await link(group, LOT)),
        () => link(group.slice(0, 1), OTHER_LOT),
      );
      const { data } = (await page(offset, fields)) as { data: Listed[] };
      const shown = data.filter(({ id }) => id !== other.id);
      const expected = linked.map(({ id, dateModified }) => ({ id, dateModified, ...(fields && { relatedLot: LOT }) }));
      expect(shown).toEqual(isTorn ? expected : []);
    },
  );

  it('and all of them again keeps its size limit, and the next pages continue after it', async () => {
    const all = await Promise.all(Array.from({ length: MANY }, () => publish(registry, LARGE)));
    const offset = await end();
    const groups = [all.slice(0, A_GROUP), all.slice(A_GROUP)];
    const linkAll =
      (lot: string): Work =>
      async () => {
        for (const group of groups) await link(group, lot);
      };
    beside(touch(elsewhere), linkAll(LOT), linkAll(OTHER_LOT));
    const found = new Map<string, Listed>();
    const counts: number[] = [];
    for (let next = offset; ;) {
      const { data, next_page: following } = (await page(next, 'relatedLot,description')) as {
        data: Listed[];
        next_page: { offset: string };
      };
      counts.push(data.length);
      if (data.length === 0) break;
      const bytes = data.reduce((sum, { description = '' }) => sum + Buffer.byteLength(description), 0);
      expect(bytes).toBeLessThan(PAGE_BYTES);
      for (const listed of data) found.set(listed.id, listed);
      next = following.offset;
    }
    // On other databases a page is one statement, so no change came in between.
    const lots = all.map(({ id }) => found.get(id)?.relatedLot);
    expect(new Set(lots)).toEqual(new Set([isTorn ? OTHER_LOT : undefined]));
    expect(counts[0]).toBe(isTorn ? 21 : 1);
  });
});
