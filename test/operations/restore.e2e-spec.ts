import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Sqlite from 'embedded-sqlite';
import { backUp } from '../../src/database/copy/backup.js';
import { CopiedDatabase } from '../../src/database/copy/copied-database.js';
import type { Progress } from '../../src/database/copy/progress.js';
import { restore } from '../../src/database/copy/restore.js';
import { reapplyRedactionIn } from '../../src/assets/redaction/redact.js';
import { RegistryTime } from '../../src/platform/time/registry-time.js';
import { ASSETS, change, create, type Owned, publish, read } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, type TestDatabase, type TestDatabaseKind } from '../support/databases.js';
import { EventClient } from '../support/event-client.js';
import { loadServiceHere } from '../support/loaded-service.js';
import { type Entry, follow } from '../support/pages.js';
import { migrate } from '../support/migrated.js';
import { runCliWithFileLimit } from '../support/process.js';
import { renewLeasesQuickly } from '../support/quick-leases.js';
import { TestRegistry, zoneAtNoon } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { InterruptingProgress, silent } from '../support/silent-progress.js';
import { until } from '../support/until.js';

loadServiceHere();

const TIME_ZONE = zoneAtNoon();
const time = new RegistryTime(TIME_ZONE);
const PUBLISHED = 120;
/** Less than empty tables need. */
const ROOM_KIB = 100;

interface Order {
  replace?: boolean;
  floorUs?: number;
}

function restoreInto(
  url: string,
  file: string,
  { replace = false, floorUs = Date.now() * 1_000 }: Order = {},
  progress: Progress = silent,
): Promise<unknown> {
  const nowUs = Date.now() * 1_000;
  const order = { replace, floorUs, nowUs, maxJumpUs: Infinity, dayOf: (us: number) => time.day(us) };
  const erasing = {
    redactions: [],
    reapplyRedaction: reapplyRedactionIn(time),
    operator: { us: nowUs, actor: 'operator:restorer' },
  };
  return restore(url, file, { ...order, ...erasing }, progress);
}

const pathOf = ({ url }: TestDatabase): string => url.slice('sqlite:'.length);
const numberOf = ({ asset }: Owned): number => Number(asset.assetID.split('-').at(-1));

describe.each(databases)('registry restore on $name', (kind) => {
  let folder: string;
  let file: string;
  let database: TestDatabase;
  let kept: Owned;
  let last: Owned;
  let lost: Owned;
  let epoch: string | null;
  let listing: string;
  let target: TestDatabase;

  const serve = (url: string, env: Record<string, string> = {}): Promise<TestRegistry> =>
    TestRegistry.startOn(url, { TIME_ZONE, ...env });
  /** A registry on a database, for a piece of work only. */
  async function serving<T>(
    url: string,
    work: (registry: TestRegistry) => Promise<T>,
    env?: Record<string, string>,
  ): Promise<T> {
    const registry = await serve(url, env);
    try {
      return await work(registry);
    } finally {
      await registry.close();
    }
  }
  const interrupting = (): Progress =>
    kind.name === 'SQLite' ? new InterruptingProgress('copy pages', 1) : new InterruptingProgress('copy asset', 100);
  const listed = (registry: TestRegistry): Promise<Entry[]> => follow(registry, `${ASSETS}?limit=50&opt_fields=*`);

  /** A registry with a history, its backup, and a change that came after it. */
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'registry-restore-'));
    file = join(folder, 'backup.sqlite');
    database = await kind.create();
    await migrate(database.url);
    await serving(database.url, async (registry) => {
      kept = await publish(registry);
      for (let i = 0; i < PUBLISHED; i += 20) await Promise.all(Array.from({ length: 20 }, () => publish(registry)));
      last = await publish(registry);
      listing = JSON.stringify(await listed(registry));
      const request = { method: 'POST', key: 'administrator' };
      expect((await registry.send(`${ASSETS}/${kept.id}/transfer`, request)).status).toBe(201);
      await backUp(database.url, file, silent);
      lost = await publish(registry);
      epoch = (await registry.send(ASSETS)).headers.get('feed-epoch');
    });
  });
  beforeEach(async () => {
    target = await kind.create();
  });
  afterEach(() => target.drop());
  afterAll(async () => {
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('reports whether erasures since the backup are known, even if there were none', async () => {
    expect(await restoreInto(target.url, file)).toMatchObject({ areErasuresKnown: false });
    expect(await restoreInto(target.url, file, { replace: true })).toMatchObject({ areErasuresKnown: true });
  });

  describe('the restored database', () => {
    let restored: TestDatabase;
    let registry: TestRegistry;
    const epochNow = async (): Promise<string | null> => (await registry.send(ASSETS)).headers.get('feed-epoch');

    beforeAll(async () => {
      restored = await kind.create();
      await restoreInto(restored.url, file);
      registry = await serve(restored.url);
    });
    afterAll(async () => {
      await registry?.close();
      await restored?.drop();
    });

    it('is the listing without transfer codes, because some may have been used since the backup', async () => {
      expect(JSON.stringify(await listed(registry))).toBe(listing);
      expect((await read(registry, lost)).status).toBe(404);
      const codesIn = (databaseUrl: string): Promise<unknown> =>
        runSql({ databaseUrl }, 'SELECT id FROM transfer_code');
      expect(await codesIn(`sqlite:${file}`)).toEqual([{ id: kept.id }]);
      expect(await codesIn(restored.url)).toEqual([]);
    });

    it('never gives an instant again that was given out before, nor a number', async () => {
      const given = new Set([kept, last, lost].map(({ asset }) => asset.assetID));
      const next = await publish(registry);
      expect(next.asset.dateModified > lost.asset.dateModified).toBe(true);
      // The number of assetIDs that the lost database gave out since the backup is unknown.
      expect(numberOf(next)).toBe(1_000_001);
      expect(given.has(next.asset.assetID)).toBe(false);
    });

    it('has the keys and owner tokens of the backup', async () => {
      expect((await change(registry, kept, { title: 'Далі' })).status).toBe(200);
    });

    it('has another epoch, on every page and in spore', async () => {
      expect(await epochNow()).toMatch(/^[0-9a-f]{32}$/);
      expect(await epochNow()).not.toBe(epoch);
      expect((await registry.send('/api/0.1/spore')).json.feed_epoch).toBe(await epochNow());
    });

    it('sends the epoch first to a stream that resumes after an older event, and to no other', async () => {
      const eventsAfter = async (id: string): Promise<{ published: string; sent: string[] }> => {
        const stream = await EventClient.open(registry.url, { headers: { 'Last-Event-ID': id } });
        const { id: published } = await publish(registry);
        await stream.until(() => stream.events.some(({ data }) => data.includes(published)));
        stream.close();
        const sent = stream.events.map(({ event, data }) => (event === 'epoch' ? `epoch ${data}` : event));
        return { published, sent };
      };
      const { published, sent } = await eventsAfter(lost.asset.dateModified);
      expect([sent[0], new Set(sent.slice(1))]).toEqual([`epoch ${await epochNow()}`, new Set(['change'])]);
      const { dateModified } = (await registry.send(`${ASSETS}/${published}`)).json.data as Entry;
      expect((await eventsAfter(dateModified)).sent).toEqual(['change']);
    });
  });

  it('continues after the instants and numbers of the database that it replaces', async () => {
    const copy = await kind.create();
    await restoreInto(copy.url, file);
    const again = join(folder, 'again.sqlite');
    await rm(again, { force: true });
    await backUp(copy.url, again, silent);
    const ahead = 3_600_000_000;
    const giveOut = async (registry: TestRegistry): Promise<Owned> => {
      // As a wrong clock would have it: given out, and an hour ahead.
      await runSql(registry, 'UPDATE feed_clock SET last_us = last_us + ?', [ahead]);
      return publish(registry);
    };
    const after = await serving(copy.url, giveOut, { CLOCK_MAX_STEP: '2h' });
    // Also when it is begun again.
    const broken = restoreInto(copy.url, again, { replace: true }, interrupting());
    await expect(broken).rejects.toThrow('interrupted');
    await restoreInto(copy.url, again, { replace: true });
    await serving(copy.url, async (registry) => {
      const next = await create(registry);
      expect(next.asset.dateModified > after.asset.dateModified).toBe(true);
      const [day, other] = [next, after].map(({ asset }) => asset.assetID.slice(0, -8));
      expect(numberOf(next)).toBe(day === other ? numberOf(after) + 1 : 1);
      expect((await read(registry, after)).status).toBe(404);
    });
    await copy.drop();
  });

  it('continues after the instant that the operator gives', async () => {
    const floorUs = Date.now() * 1_000 + 86_400_000_000;
    await restoreInto(target.url, file, { floorUs });
    await serving(target.url, async (registry) => {
      const { asset } = await publish(registry);
      expect(asset.dateModified > time.print(floorUs)).toBe(true);
      expect(asset.assetID).toMatch(/-1000001$/);
      expect(asset.assetID).not.toContain(time.day(floorUs));
    });
  });

  it('throws nothing away unless it is sent to', async () => {
    await migrate(target.url);
    await serving(target.url, async (registry) => {
      await publish(registry);
    });
    await expect(restoreInto(target.url, file)).rejects.toThrow(/contains data \(\d+ rows in \w+\): --replace/);
    await serving(target.url, async (registry) => expect(await listed(registry)).toHaveLength(1));
    await restoreInto(target.url, file, { replace: true });
    await serving(target.url, async (registry) => expect(JSON.stringify(await listed(registry))).toBe(listing));
  });

  // A file is kept from everybody else by a lock.
  if (kind.name !== 'SQLite') {
    it('refuses when a service begins while it looks, and leaves all as it was', async () => {
      await migrate(target.url);
      const begin = (): Promise<unknown> =>
        runSql({ databaseUrl: target.url }, `INSERT INTO service_lease VALUES ('a', 'a.example', 7, 5, 5)`);
      const claimed = jest.spyOn(CopiedDatabase.prototype, 'migrate').mockImplementation(begin as () => Promise<void>);
      await expect(restoreInto(target.url, file)).rejects.toThrow(/served by process 7 on a\.example .*: stop the/);
      claimed.mockRestore();
      await serving(target.url, async (registry) => expect(await listed(registry)).toEqual([]));
    });

    it('a running service whose database is replaced anyway is 503 until the restore is complete', async () => {
      await migrate(target.url);
      renewLeasesQuickly();
      await serving(target.url, async (registry) => {
        const status = async (): Promise<number> => (await registry.send(ASSETS)).status;
        await runSql(registry, `UPDATE feed_clock SET copying = 'restore'`);
        await until(async () => (await status()) === 503);
        await runSql(registry, 'UPDATE feed_clock SET copying = NULL');
        await until(async () => (await status()) === 200);
      }).finally(() => jest.restoreAllMocks());
    });
  }

  it('that is interrupted leaves the old data, or a database that is not served; repeated, it completes', async () => {
    await migrate(target.url);
    const old = await serving(target.url, (registry) => publish(registry));
    const isFile = kind.name === 'SQLite';
    await expect(restoreInto(target.url, file, { replace: true }, interrupting())).rejects.toThrow('interrupted');
    if (isFile) await serving(target.url, async (registry) => expect((await read(registry, old)).status).toBe(200));
    else await expect(serve(target.url)).rejects.toThrow(/incomplete.*run it again/);
    await restoreInto(target.url, file, { replace: isFile });
    await serving(target.url, async (registry) => {
      expect(JSON.stringify(await listed(registry))).toBe(listing);
      expect((await publish(registry)).asset.dateModified > old.asset.dateModified).toBe(true);
    });
  });

  // How the file of a backup is looked through is the same for each target.
  if (kind.name !== 'SQLite') return;

  it('does not report damage if the check fails on a full disk', async () => {
    const answer = Object.getOwnPropertyDescriptor(Sqlite.prototype, 'pragma')?.value as Sqlite.Database['pragma'];
    const pragma = jest.spyOn(Sqlite.prototype, 'pragma').mockImplementation(function (
      this: Sqlite.Database,
      ...asked
    ) {
      if (!asked[0].startsWith('integrity_check')) return answer.apply(this, asked);
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    });
    const restored = restoreInto(target.url, file).finally(() => pragma.mockRestore());
    await expect(restored).rejects.toThrow(`${file} cannot be read: database or disk is full`);
  });

  it('puts back nothing that is damaged, unfinished, or no backup', async () => {
    const bad = join(folder, 'bad.sqlite');
    writeFileSync(bad, 'not a database, but long enough to be looked at'.repeat(100));
    await expect(restoreInto(target.url, bad)).rejects.toThrow(/bad\.sqlite cannot be read: file is not a database/);
    const bytes = readFileSync(file);
    bytes.fill(0xff, 8_192, 40_000);
    writeFileSync(bad, bytes);
    await expect(restoreInto(target.url, bad)).rejects.toThrow(/is damaged/);
    await expect(restoreInto(target.url, join(folder, 'none'))).rejects.toThrow(/There is no file/);
    await expect(restoreInto(target.url, folder)).rejects.toThrow(`${folder} is not a file`);
    const journal = ['restore', file, '--redactions', folder];
    expect(await command(journal, { DATABASE_URL: target.url })).toEqual({
      code: 1,
      output: `registry: ${folder} cannot be used: it is a folder\n`,
    });
    writeFileSync(bad, '');
    await expect(restoreInto(target.url, bad)).rejects.toThrow(/is not a database of a registry/);
    await expectUnfinished(bad);
  });

  async function expectUnfinished(bad: string): Promise<void> {
    copyFileSync(file, bad);
    const half = await serve(`sqlite:${bad}`);
    await runSql(half, `UPDATE feed_clock SET copying = 'move'`);
    await half.close();
    await expect(restoreInto(target.url, bad)).rejects.toThrow(/incomplete/);
    await removeAll(bad);
  }

  const removeAll = async (path: string): Promise<void> => {
    for (const end of ['', '-wal', '-shm', '.lock']) await rm(path + end, { force: true });
  };
});

describe('registry restore of an SQLite file', () => {
  const kind = databases[0] as TestDatabaseKind;
  /** A registry with one asset, and its backup. */
  let sample: TestDatabase;
  let backup: string;
  let database: TestDatabase;
  let path: string;
  let file: string;

  beforeAll(async () => {
    sample = await kind.create();
    await migrate(sample.url);
    const registry = await TestRegistry.startOn(sample.url);
    await publish(registry);
    await registry.close();
    backup = join(dirname(pathOf(sample)), 'backup.sqlite');
    await backUp(sample.url, backup, silent);
  });
  beforeEach(async () => {
    database = await kind.create();
    path = pathOf(database);
    file = join(dirname(path), 'backup.sqlite');
    copyFileSync(pathOf(sample), path);
    copyFileSync(backup, file);
  });
  afterEach(() => database.drop());
  afterAll(() => sample?.drop());

  it('replaces an unreadable database completely', async () => {
    writeFileSync(path, 'spoiled');
    for (const end of ['-wal', '-shm']) writeFileSync(path + end, 'left over');
    await expect(restoreInto(database.url, file)).rejects.toThrow(/cannot be read .*--replace/);
    await restoreInto(database.url, file, { replace: true });
    expect(readdirSync(dirname(path)).toSorted()).toEqual(['backup.sqlite', 'registry.sqlite', 'registry.sqlite.lock']);
  });

  it('never replaces the database of another program, which stays unchanged', async () => {
    await rm(path);
    const other = new Sqlite(path);
    other.exec('CREATE TABLE notes (text)');
    other.close();
    const before = readFileSync(path);
    for (const replace of [false, true])
      await expect(restoreInto(database.url, file, { replace })).rejects.toThrow(/is the database of another program/);
    expect(readFileSync(path)).toEqual(before);
  });

  it('finds a value that was damaged before it touches anything, and so does backup --verify', async () => {
    expect(await command(['backup', '--verify', file], {})).toMatchObject({
      code: 0,
      output: expect.stringContaining(`${file} is intact, and its contents match its digest: 1 assets\n`),
    });
    const bytes = readFileSync(file);
    bytes.write('tatle', bytes.indexOf('"title":') + 1);
    writeFileSync(file, bytes);
    const before = readFileSync(path);
    const damaged = `${file} is damaged: its digest differs`;
    await expect(restoreInto(database.url, file, { replace: true })).rejects.toThrow(damaged);
    expect(readFileSync(path)).toEqual(before);
    const { code, output } = await command(['backup', '--verify', file], {});
    expect([code, output]).toEqual([1, expect.stringContaining(damaged)]);
  });

  it.each(['DROP INDEX uq_account_name', 'CREATE TRIGGER other AFTER INSERT ON audit BEGIN DELETE FROM account; END'])(
    'detects a schema that differs from the backup: %s',
    async (sql) => {
      const other = new Sqlite(file);
      other.exec(sql);
      other.close();
      const damaged = `${file} is damaged: its digest differs`;
      await expect(restoreInto(database.url, file, { replace: true })).rejects.toThrow(damaged);
    },
  );

  it('says so of a backup without a digest: of an earlier version, or one that was served since', async () => {
    await (await TestRegistry.startOn(`sqlite:${file}`)).close();
    const { code, output } = await command(['backup', '--verify', file], {});
    expect([code, output]).toEqual([1, expect.stringContaining(`${file} has no digest`)]);
    expect(await restoreInto(database.url, file, { replace: true })).toMatchObject({ hasDigest: false });
    expect(await restoreInto(database.url, await backedUp(), { replace: true })).toMatchObject({ hasDigest: true });
  });

  /** @returns a backup of the restored database, which has no digest itself */
  const backedUp = async (): Promise<string> => {
    const tables = await runSql(
      { databaseUrl: database.url },
      "SELECT 1 FROM sqlite_master WHERE name = 'backup_digest'",
    );
    expect(tables).toEqual([]);
    await backUp(database.url, `${file}.next`, silent);
    return `${file}.next`;
  };

  it('keeps the permissions of the file that it replaces', async () => {
    const mode = statSync(path).mode;
    await restoreInto(database.url, file, { replace: true });
    expect(statSync(path).mode).toBe(mode);
    await rm(path);
    await restoreInto(database.url, file);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('without room says which file cannot be written, and leaves all as it was', async () => {
    const replacing = ['restore', file, '--replace', '--yes', 'registry.sqlite'];
    const { code, output } = await runCliWithFileLimit(ROOM_KIB, replacing, { DATABASE_URL: database.url });
    expect([code, output]).toEqual([
      1,
      expect.stringContaining(`while ${path} was written: its file cannot be written: `),
    ]);
    expect(readdirSync(dirname(path)).filter((name) => name.includes('restoring'))).toEqual([]);
    const registry = await TestRegistry.startOn(database.url);
    expect((await registry.send(ASSETS)).json.data).toHaveLength(1);
    await registry.close();
  });

  it('refuses while any other process reads or writes the file', async () => {
    const reader = await TestRegistry.startOn(`sqlite:${path}`);
    await reader.close();
    const handle = new Sqlite(path);
    handle.exec('BEGIN; SELECT * FROM asset');
    await expect(restoreInto(database.url, file, { replace: true })).rejects.toThrow(/Another process uses .*end it/);
    handle.close();
  });

  it('brings a backup of an older version up to date', async () => {
    const old = new Sqlite(file);
    old.exec(`ALTER TABLE feed_clock DROP COLUMN epoch; ALTER TABLE feed_clock DROP COLUMN copying;
      DELETE FROM migrations WHERE name LIKE 'FeedEpoch%'; DROP TABLE backup_digest`);
    old.close();
    await restoreInto(database.url, file, { replace: true });
    const registry = await TestRegistry.startOn(database.url);
    expect((await registry.send(ASSETS)).json.data).toHaveLength(1);
    await registry.close();
  });

  it('is a command that prints the instant and the epoch with which the feed continues', async () => {
    const env = { DATABASE_URL: database.url, CLOCK_MAX_JUMP: '9999d' };
    expect(await command(['restore', file], env)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/--replace/),
    });
    const wrong = await command(['restore', file, '--after', 'soon'], env);
    expect(wrong).toMatchObject({ code: 1, output: expect.stringMatching(/--after is an ISO 8601/) });
    const replacing = ['restore', file, '--replace', '--after', '2040-01-01'];
    const mistyped = await command([...replacing, '--yes', 'registry.sqlite'], { DATABASE_URL: database.url });
    const refusal = /--after is \d+ days ahead of the clock.* CLOCK_MAX_JUMP=\d+d/;
    expect(mistyped).toMatchObject({ code: 1, output: expect.stringMatching(refusal) });
    const unmeant = await command([...replacing, '--yes', 'registry'], env);
    expect(unmeant).toMatchObject({
      code: 1,
      output: expect.stringMatching(/is registry\.sqlite, and not "registry"/),
    });
    const { code, output } = await command([...replacing, '--yes', 'registry.sqlite'], env);
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/New instants follow 2040-01-01T00:00:00.*\n.*epoch is now [0-9a-f]{32}/),
    ]);
    expect(existsSync(`${path}.restoring`)).toBe(false);
  });
});
