import { existsSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import Sqlite from 'embedded-sqlite';
import { ASSETS, change, create, type Owned, publish } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { addAssets } from '../support/many-assets.js';
import { newFolder } from '../support/new-folder.js';
import { runService, ServiceProcess } from '../support/process.js';
import { readiness } from '../support/readiness.js';
import { TestRegistry } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { runSql } from '../support/rows.js';
import { TestSearch } from '../support/search.js';
import { until } from '../support/until.js';

/** Number of sequence numbers used since the oldest entry, and number of entries. */
function countsOf(path: string): { written: number; kept: number } {
  const index = new Sqlite(path, { readonly: true });
  if (index.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'entry'").get() === undefined) {
    index.close();
    return { written: 0, kept: 0 };
  }
  const ask = (sql: string): number => Number(index.prepare(sql).pluck().get());
  const counts = {
    written: ask('SELECT IFNULL(MAX(seq) - MIN(seq) + 1, 0) FROM entry'),
    kept: ask('SELECT COUNT(*) FROM entry'),
  };
  index.close();
  return counts;
}

describe.each(embedded)('the file of the search index on $name', (kind) => {
  const folder = newFolder();
  const searches = new Set<TestSearch>();
  let made = 0;
  let path: string;
  const registry = servedRegistry(kind);
  let owned: Owned;

  const start = async (at = path): Promise<TestSearch> => {
    const search = await TestSearch.start(registry.databaseUrl, at);
    searches.add(search);
    return search;
  };
  const stop = async (search: TestSearch): Promise<void> => {
    searches.delete(search);
    await search.stop();
  };
  const published = async (): Promise<number> => {
    const [{ n }] = (await runSql(registry, 'SELECT COUNT(feed_us) AS n FROM asset')) as [{ n: number | string }];
    return Number(n);
  };

  beforeAll(async () => {
    for (let i = 0; i < 3; i++) await create(registry, { title: `Чернетка ${i}` });
    for (let i = 0; i < 5; i++) await publish(registry, { title: `Стодола ${i}` });
    owned = await publish(registry, { title: 'Горище' });
  });
  beforeEach(() => {
    path = join(folder, `index-${made++}.sqlite`);
  });
  afterEach(async () => {
    for (const search of searches) await stop(search);
  });

  it('has every listed asset once, and each is written once', async () => {
    const search = await start();
    expect(await search.ids({})).toHaveLength(await published());
    expect(countsOf(path)).toEqual({ written: await published(), kept: await published() });
  });

  it('continues after a restart', async () => {
    const first = await start();
    await first.found({});
    await stop(first);
    const before = countsOf(path);
    await change(registry, owned, { title: 'Горище з вікном' });
    const second = await start();
    expect(await second.ids({ text: 'горище вікном' })).toEqual([owned.id]);
    expect(countsOf(path)).toEqual({ written: before.written + 1, kept: before.kept });
  });

  it.each([
    ['is no SQLite database', () => writeFileSync(path, 'Це не база даних. '.repeat(1_000))],
    ['is damaged from its second page on', () => overwrite(path, 4_096)],
    ['is empty', () => writeFileSync(path, '')],
  ])('is rebuilt if it %s', async (_, damage) => {
    const first = await start();
    await first.found({});
    await stop(first);
    damage();
    const second = await start();
    expect(await second.ids({ text: 'горище' })).toEqual([owned.id]);
    expect(second.search.isOn).toBe(true);
  });

  it('is left alone if it is another SQLite database, and the search is off', async () => {
    const other = new Sqlite(path);
    other.exec("CREATE TABLE state (version TEXT); INSERT INTO state VALUES ('mine')");
    other.close();
    const before = readFileSync(path);
    const search = await start();
    expect(await search.find({})).toBeUndefined();
    await until(() => !search.search.isOn);
    expect((await search.search.choices()).regions).toEqual([]);
    expect(existsSync(`${path}.damaged`)).toBe(false);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('that cannot be written switches only the search off', async () => {
    writeFileSync(path, '');
    const below = join(path, 'index.sqlite');
    const search = await start(below);
    expect(await search.find({})).toBeUndefined();
    await until(() => !search.search.isOn);
    const service = await TestRegistry.startOn(registry.databaseUrl.replace(/^sqlite:.*/, `sqlite:${path}-db.sqlite`), {
      SEARCH_INDEX: below,
    });
    expect((await service.send(ASSETS)).status).toBe(200);
    expect((await readiness(service)).status).toBe(200);
    await service.close();
  });

  it('is rebuilt when the registry has another history', async () => {
    const search = await start();
    const gone = await publish(registry, { title: 'Тимчасова споруда' });
    expect(await search.ids({ text: 'тимчасова' })).toEqual([gone.id]);
    // As a restore of a backup does it: a part of the history never happened.
    await runSql(registry, 'DELETE FROM asset WHERE id = ?', [gone.id]);
    await runSql(registry, 'UPDATE feed_clock SET epoch = ?', ['f'.repeat(32)]);
    expect(await search.ids({ text: 'тимчасова' })).toEqual([]);
    expect(await search.ids({ text: 'горище' })).toEqual([owned.id]);
    expect(countsOf(path).kept).toBe(await published());
    await stop(search);
    await runSql(registry, 'UPDATE feed_clock SET epoch = ?', ['e'.repeat(32)]);
    expect(await (await start()).ids({ text: 'горище' })).toEqual([owned.id]);
  });

  it('is written by two processes, each change once', async () => {
    const both = await Promise.all([start(), start()]);
    const already = await published();
    const changes = 8;
    for (let i = 0; i < changes; i += 2) {
      const one = await publish(registry, { title: `Удвох ${i}` });
      const found = await Promise.all(both.map((search) => search.ids({ text: `удвох ${i}` })));
      for (const ids of found) expect(ids).toEqual([one.id]);
      await change(registry, one, { title: `Утрьох ${i}` });
      for (const search of both) expect(await search.ids({ text: `удвох ${i}` })).toEqual([]);
    }
    for (const search of both) expect(await search.ids({ text: 'утрьох' })).toHaveLength(changes / 2);
    expect(countsOf(path)).toEqual({ written: already + changes, kept: already + changes / 2 });
  });

  describe('of two thousand assets', () => {
    const count = 2_000;
    let large: TestRegistry;
    let first: Owned;

    beforeAll(async () => {
      large = await TestRegistry.start(kind);
      first = await publish(large);
      await addAssets(large.databaseUrl, count - 1);
    });
    afterAll(() => large?.stop());

    const startOnLarge = async (): Promise<TestSearch> => {
      const search = await TestSearch.start(large.databaseUrl, path);
      searches.add(search);
      return search;
    };

    it('is searched while it is built, and says that it is not complete', async () => {
      const search = await startOnLarge();
      let early = await search.find({ text: 'космодрому' });
      // A search waits a quarter of a second, which may be over before the first page is in.
      while (early === undefined || early.hits.length === 0) early = await search.find({ text: 'космодрому' });
      expect(early.isComplete).toBe(false);
      const complete = await search.found({ limit: 1 });
      expect(complete.hits.map(({ id }) => id)).toEqual([first.id]);
      expect(await search.ids({ text: 'космодрому', limit: 10_000 })).toHaveLength(count);
    });

    it('has each asset once after the process that built it was killed', async () => {
      await large.close();
      // A slow test may come too late: then the index is built and killed again.
      while (!existsSync(path) || countsOf(path).kept > 1_500) {
        for (const file of ['', '-wal', '-shm']) rmSync(path + file, { force: true });
        const service = await ServiceProcess.start({ DATABASE_URL: large.databaseUrl, SEARCH_INDEX: path });
        await until(() => existsSync(path) && countsOf(path).kept >= 300);
        await service.kill('SIGKILL');
      }
      const search = await startOnLarge();
      expect(await search.ids({ text: 'космодрому', limit: 10_000 })).toHaveLength(count);
      expect(countsOf(path)).toEqual({ written: count, kept: count });
    });
  });
});

it('is left to the process that serves the database, on SQLite', async () => {
  const folder = newFolder();
  const index = join(folder, 'search.sqlite');
  const env = { DATABASE_URL: `sqlite:${join(folder, 'registry.sqlite')}`, SEARCH_INDEX: index };
  const first = await ServiceProcess.start(env);
  // An index that was made with another time zone is emptied.
  expect((await runService({ ...env, TIME_ZONE: 'Europe/Lisbon' })).code).toBe(1);
  const file = new Sqlite(index, { readonly: true });
  expect(file.prepare('SELECT version FROM state').pluck().get()).toContain('Europe/Kyiv');
  file.close();
  await first.kill('SIGTERM');
});

/** All of the rest of a file. */
function overwrite(path: string, from: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(statSync(path).size - from, 0xa5), 0, undefined, from);
  closeSync(file);
}
