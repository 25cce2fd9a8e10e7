import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { assetBody, change, create, type Owned, publish } from '../support/assets.js';
import { databases, embedded, type TestDatabase, type TestDatabaseKind } from '../support/databases.js';
import { AssetsClient, Crawler, Feeder, type Position } from './older-clients.js';
import { type Entry, follow } from '../support/pages.js';
import { migrate } from '../support/migrated.js';
import { TestRegistry } from '../support/registry.js';

const PUBLISHED = 12;
const LIST = '/api/0.1/assets';
const [sqlite] = databases as [TestDatabaseKind];

/** Instants of one test have the same width and UTC offset: the libraries compare them as text, and so does this. */
class Mirror {
  readonly entries = new Map<string, string>();

  readonly take = (entries: readonly Entry[]): void => {
    for (const { id, dateModified } of entries)
      if (dateModified > (this.entries.get(id) ?? '')) this.entries.set(id, dateModified);
  };
}

const sorted = (entries: Iterable<readonly [string, string]>): [string, string][] =>
  Array.from(entries, ([id, dateModified]): [string, string] => [id, dateModified]).toSorted(([a], [b]) =>
    a < b ? -1 : 1,
  );

describe.each(embedded)('older clients on $name', (kind) => {
  let database: TestDatabase;
  let registry: TestRegistry;
  let owned: Owned[];
  let mirror: Mirror;

  const current = async (): Promise<[string, string][]> =>
    sorted((await follow(registry, LIST)).map(({ id, dateModified }) => [id, dateModified] as const));
  const expectWhole = async (): Promise<void> => expect(sorted(mirror.entries)).toEqual(await current());
  /** New assets, changed ones, and some that the libraries must see leave. */
  const work = async (): Promise<void> => {
    await change(registry, owned[0] as Owned, { title: 'changed' });
    await change(registry, owned[PUBLISHED / 2] as Owned, { status: 'deleted' });
    await publish(registry);
    await create(registry);
  };
  const restart = async (env: Record<string, string> = {}): Promise<void> => {
    await registry.close();
    registry = await TestRegistry.startOn(database.url, env);
  };

  beforeEach(async () => {
    database = await kind.create();
    await migrate(database.url);
    registry = await TestRegistry.startOn(database.url);
    owned = [];
    for (let i = 0; i < PUBLISHED; i++) owned.push(await publish(registry));
    mirror = new Mirror();
  });
  afterEach(async () => {
    await registry.close();
    await database.drop();
  });

  describe('openprocurement.client.python', () => {
    it('reads every change with the members of next_page in its next query, also after a restart', async () => {
      const client = await AssetsClient.connect(registry.url);
      const walk = async (): Promise<number> => {
        let count = 0;
        for (let page = await client.getAssets({ limit: '5' }); page.length > 0; page = await client.getAssets()) {
          mirror.take(page);
          count += page.length;
        }
        return count;
      };
      expect(await walk()).toBe(PUBLISHED);
      await expectWhole();
      await restart();
      client.url = registry.url;
      await work();
      expect(await walk()).toBe(3);
      await expectWhole();
      expect(Object.keys(client.params).toSorted()).toEqual(['feed', 'limit', 'mode', 'offset']);
    });

    it('finds an asset by its number, from the newest on', async () => {
      const client = await AssetsClient.connect(registry.url);
      Object.assign(client.params, { limit: '5' });
      const { id, asset } = owned[1] as Owned;
      expect(await client.findIdByAssetId(asset.assetID)).toBe(id);
    });

    it('reads from an offset in seconds without a zone, and with an unknown field', async () => {
      const client = await AssetsClient.connect(registry.url);
      const second = (owned.at(-1) as Owned).asset.dateModified.slice(0, 19);
      const later = owned.filter(({ asset }) => asset.dateModified > second).map(({ id }) => id);
      const entries = await client.getLatest(second);
      expect(entries.map(({ id }) => id)).toEqual(later);
      expect(Object.keys(entries[0] ?? {})).toEqual(['id', 'dateModified']);
    });

    it('feeds from the newest back and forward at once, while assets change', async () => {
      let rounds = 0;
      const statuses = new Set<unknown>();
      const take = (entries: Entry[]): void => {
        mirror.take(entries);
        for (const { status } of entries) statuses.add(status);
        if (rounds++ < 3) void work().then(() => (done += 1));
      };
      let done = 0;
      await Feeder.run(registry.url, { limit: '5' }, take, () => done < 3);
      await expectWhole();
      expect(statuses).toEqual(new Set(['pending', 'deleted']));
    });
  });

  describe('prozorro_crawler', () => {
    it('crawls back and forward at once, while assets change', async () => {
      let [begun, changed, empty] = [0, 0, 0];
      const take = (entries: Entry[], isBackward: boolean): void => {
        mirror.take(entries);
        empty = isBackward || entries.length > 0 || changed < begun ? 0 : empty + 1;
        if (isBackward && begun < 3) {
          begun += 1;
          void work().then(() => (changed += 1));
        }
      };
      const crawler = new Crawler(registry.url, {}, take, { limit: 5, optFields: 'status,owner' });
      await crawler.run(() => !crawler.isAtBeginning || empty < 2);
      await expectWhole();
      expect(new Set(crawler.statuses)).toEqual(new Set([200]));
    });

    it('continues from both saved offsets after it and the registry were restarted', async () => {
      const position: Position = {};
      const crawl = async (pages: number): Promise<void> => {
        const crawler = new Crawler(registry.url, position, mirror.take, { limit: 2 });
        await crawler.run(() => crawler.statuses.length < pages);
      };
      await crawl(0);
      // Forward from the newest, and back from the last of the first page.
      const [backward, forward] = owned.slice(-2).map(({ asset }) => asset.dateModified);
      expect(position).toEqual({ backward_offset: backward, forward_offset: forward });
      for (let runs = 0; runs < 3; runs++) {
        await crawl(4);
        await restart();
        await work();
      }
      await crawl(30);
      await expectWhole();
      expect(position.forward_offset).toBe(
        (await current())
          .map(([, dateModified]) => dateModified)
          .toSorted()
          .at(-1),
      );
    });

    it('works under a rate limit, although it ignores Retry-After', async () => {
      await restart({ RATE_LIMIT: 'on', RATE_LIMIT_READS: '5/4' });
      const crawler = new Crawler(registry.url, {}, mirror.take, { limit: 2, pauseMs: 60 });
      // On a slow machine it may stay below the limit, so it runs until a request is refused.
      await crawler.run(() => !crawler.isAtBeginning || !crawler.statuses.includes(429));
      expect(new Set(crawler.statuses)).toEqual(new Set([200, 429]));
      await restart();
      await expectWhole();
    });

    it('asks again with the new cookie when another server of the cluster answers', async () => {
      const position: Position = {};
      await restart({ CLUSTER_SERVER_ID: 'one' });
      const first = new Crawler(registry.url, position, mirror.take, { limit: 5 });
      await first.run(() => first.statuses.length < 2);
      expect(position.server_id).toBe('one');
      await restart({ CLUSTER_SERVER_ID: 'two' });
      const second = new Crawler(registry.url, position, mirror.take, { limit: 5 });
      await second.run(() => !second.isAtBeginning);
      expect(second.statuses.filter((status) => status !== 200)).toContain(412);
      expect(position.server_id).toBe('two');
      await restart();
      await expectWhole();
    });
  });
});

describe('older clients in cluster mode on SQLite', () => {
  it('keep one cookie, beginning with HEAD spore, and write with it', async () => {
    await TestRegistry.during(sqlite, { CLUSTER_SERVER_ID: 'one' }, async (registry) => {
      const client = await AssetsClient.connect(registry.url, 'broker');
      expect([...client.cookies]).toEqual([['SERVER_ID', 'one']]);
      const created = await client.createAsset(assetBody());
      await client.patchAsset(created, { status: 'pending' });
      const mirror = new Mirror();
      await Feeder.run(registry.url, {}, mirror.take, () => false);
      expect([...mirror.entries.keys()]).toEqual([created.data.id]);
    });
  });
});
