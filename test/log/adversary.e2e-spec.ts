import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { instantUs, RegistryClient } from '../../clients/typescript/src/index.js';
import type { LogRow } from '../../clients/sync/src/copies/log-row.js';
import { openCopyToRead } from '../../clients/sync/src/copies/open-copy.js';
import { readTarget } from '../../clients/sync/src/copies/target.js';
import { erasedOpening } from 'asset-registry-tlog';
import { checksumOf } from '../../src/database/readers/body-delta.js';
import { newLogKey } from '../../src/log/log-keys.js';
import { ForkedLogError, LogPublisher } from '../../src/log/log-publisher.js';
import { RegistryTime } from '../../src/platform/time/registry-time.js';
import { change, type JsonObject, type Owned, publish } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, embedded, type TestDatabase, type TestDatabaseKind } from '../support/databases.js';
import { loadServiceHere } from '../support/loaded-service.js';
import { TamperedDatabase } from '../support/tampered-database.js';
import { checkpointOf, LOG, type SeenEntry } from '../support/log-reader.js';
import { faultOf, verifyLog } from '../support/log-verifier.js';
import { migrate } from '../support/migrated.js';
import { addAssets } from '../support/many-assets.js';
import { openWriter } from '../support/retry-while-locked.js';
import { TestRegistry } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { MemoryLogStore, verifyAgainst } from '../support/memory-log-store.js';
import { syncCommand } from '../support/sync-command.js';
import { until } from '../support/until.js';

loadServiceHere();

/** JSON whose pointers are longer than a memory. */
const COMB = `${'[0,'.repeat(40_000)}0${']'.repeat(40_000)}`;

describe('an operator who restores an older file of SQLite', () => {
  it('is found at the first missing entry, whatever follows', async () => {
    const database = await (databases[0] as TestDatabaseKind).create();
    await migrate(database.url);
    const file = database.url.slice('sqlite:'.length);
    const LOG_KEY = newLogKey('registry.example.org/log');
    let registry = await TestRegistry.startOn(database.url, { LOG_KEY });
    const owned = await publish(registry);
    await checkpointOf(registry, 1);
    await registry.close();
    copyFileSync(file, `${file}.older`);
    registry = await TestRegistry.startOn(database.url, { LOG_KEY });
    await change(registry, owned, { title: 'what shall not have been' });
    await checkpointOf(registry, 2);
    const { log } = (await registry.send('/api/0.1/spore')).json as { log: { publicKey: string } };
    const seen = await verifyLog(registry, log.publicKey);
    await registry.close();
    for (const part of ['-wal', '-shm']) rmSync(file + part, { force: true });
    copyFileSync(`${file}.older`, file);
    registry = await TestRegistry.startOn(database.url, { LOG_KEY });
    expect(await faultOf(registry, seen)).toMatchObject({ place: 1, message: 'smaller than before' });
    await change(registry, owned, { title: 'what shall have been' });
    await checkpointOf(registry, 2);
    expect(await faultOf(registry, seen)).toMatchObject({ place: 1, message: 'another entry than before' });
    await registry.close();
    await database.drop();
  });
});

/** The fault that `registry-sync verify` finds in the log without an earlier copy; undefined if it is sound. */
async function refutedBy(registry: TestRegistry): Promise<{ message: string; place?: number } | undefined> {
  const client = new RegistryClient(registry.url);
  try {
    await verifyAgainst(client.logFiles, new MemoryLogStore());
    return undefined;
  } catch (error) {
    return error as Error;
  } finally {
    await client.close();
  }
}

describe('a log that grows beyond a full tile while an entry is tampered with', () => {
  it('equals the signed one once the entry is restored', async () => {
    const database = await (databases[0] as TestDatabaseKind).create();
    await migrate(database.url);
    const LOG_KEY = newLogKey('registry.example.org/log');
    let registry = await TestRegistry.startOn(database.url);
    const owned = await publish(registry);
    await registry.close();
    await addAssets(database.url, 252);
    registry = await TestRegistry.startOn(database.url, { LOG_KEY });
    await checkpointOf(registry, 253);
    await registry.close();
    // Without the key, so that all of it comes at once.
    registry = await TestRegistry.startOn(database.url);
    for (let i = 0; i < 7; i++) await change(registry, owned, { title: `title ${i}` });
    await registry.close();
    const assertion = jest.spyOn(LogPublisher.prototype, 'assertUnchanged');
    const add = (us: number): Promise<unknown> =>
      runSql({ databaseUrl: database.url }, 'UPDATE log_entry SET created_us = created_us + ? WHERE place = 10', [us]);
    await add(1);
    registry = await TestRegistry.startOn(database.url, { LOG_KEY });
    await until(() => assertion.mock.results.length > 0);
    await expect(assertion.mock.results[0]?.value).rejects.toThrow(ForkedLogError);
    await add(-1);
    await checkpointOf(registry, 260);
    expect(await refutedBy(registry)).toBeUndefined();
    assertion.mockRestore();
    await registry.close();
    await database.drop();
  });
});

describe.each(embedded)('a log on $name that is begun over existing assets', (kind) => {
  let database: TestDatabase;
  let registry: TestRegistry;

  beforeEach(async () => {
    database = await kind.create();
    await migrate(database.url);
    registry = await TestRegistry.startOn(database.url);
  });
  afterEach(async () => {
    await registry.close();
    await database.drop();
  });

  const begin = async (entries: number): Promise<void> => {
    await registry.close();
    registry = await TestRegistry.startOn(database.url, { LOG_KEY: newLogKey('registry.example.org/log') });
    await checkpointOf(registry, entries);
  };

  it('is sound if a history has a gap, as from a version of the registry without history', async () => {
    const owned = await publish(registry);
    for (const title of ['two', 'three', 'four']) await change(registry, owned, { title });
    await runSql(registry, 'DELETE FROM revision WHERE asset = ? AND version = 3', [owned.id]);
    await begin(3);
    expect((await registry.send('/api/0.1/log/assets')).json).not.toHaveProperty('unlogged');
  });

  it('logs a state that is too deep and wide without a commitment, and continues', async () => {
    const { id } = await publish(registry);
    const [row] = (await runSql(registry, 'SELECT body FROM asset WHERE id = ?', [id])) as { body: string }[];
    await runSql(registry, 'UPDATE asset SET body = ? WHERE id = ?', [
      String(row?.body).replace('"title":', `"comb":${COMB},"title":`),
      id,
    ]);
    await publish(registry);
    await begin(2);
    const entries = (await runSql(registry, 'SELECT commitment FROM log_entry ORDER BY place')) as object[];
    expect(entries).toEqual([{ commitment: null }, { commitment: expect.any(String) }]);
  });
});

describe.each(embedded)('contents of the registry that contradict the log, on $name', (kind) => {
  let registry: TestRegistry;
  let copy: string;
  /** Published at place 0, and changed at 2. */
  let changed: Owned;
  /** Published at place 1. */
  let published: Owned;

  beforeAll(async () => {
    registry = await TestRegistry.start(kind, { LOG_KEY: newLogKey('registry.example.org/log') });
    changed = await publish(registry);
    published = await publish(registry);
    await change(registry, changed, { title: 'grown' });
    await checkpointOf(registry, 3);
    const source = await openWriter(registry.databaseUrl);
    await TamperedDatabase.take(source, { size: 0, note: '' });
    await source.destroy();
    copy = `sqlite:${join(process.env.TEST_FOLDER as string, `beside-${kind.name}.sqlite`)}`;
    await syncCommand(registry.url, '--to', copy);
  });
  afterAll(() => registry?.stop());

  const verify = async () => {
    const { code, stdout } = await syncCommand('verify', registry.url, copy, '--json');
    const { faults } = (JSON.parse(stdout) as { log: { faults: { place: number; id: string; why: string }[] } }).log;
    return { code, faults: faults.map(({ place, id, why }) => [place, id, why]) };
  };
  const sound = { code: 0, faults: [] };
  const found = (place: number, { id }: Owned, why: unknown) => ({ code: 6, faults: [[place, id, why]] });
  const beside = (us: number): string =>
    `the registry shows a state of ${new Date(us / 1_000).toISOString().slice(0, -1)}${String(us % 1_000).padStart(3, '0')}Z, which the log does not have`;

  const insertRevision = (row: Record<string, unknown>): Promise<unknown> => {
    const names = Object.keys(row);
    const sql = `INSERT INTO revision (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
    return runSql(registry, sql, Object.values(row));
  };

  it('is found if a history has a state that never existed', async () => {
    const { id } = changed;
    const [row] = (await runSql(registry, 'SELECT * FROM revision WHERE asset = ? AND listed = 1', [id])) as {
      until_us: number | string;
    }[];
    const ended = Number(row?.until_us);
    // So that nothing else is wrong: the state before it ends where it begins.
    await runSql(registry, 'UPDATE revision SET until_us = ? WHERE until_us = ?', [ended - 1, ended]);
    await insertRevision({ ...row, modified_us: ended - 1 });
    expect(await verify()).toEqual(found(2, changed, beside(ended - 1)));
    await runSql(registry, 'DELETE FROM revision WHERE until_us = ?', [ended]);
    await runSql(registry, 'UPDATE revision SET until_us = ? WHERE until_us = ?', [ended, ended - 1]);
  });

  it('is found if a history has a state after the present one', async () => {
    const { id } = changed;
    const [row] = (await runSql(registry, 'SELECT * FROM revision WHERE asset = ? AND listed = 1', [id])) as object[];
    const [asset] = (await runSql(registry, 'SELECT feed_us FROM asset WHERE id = ?', [id])) as { feed_us: number }[];
    const us = Number(asset?.feed_us);
    await insertRevision({ ...row, modified_us: us + 1, until_us: us + 2 });
    expect(await verify()).toEqual(found(2, changed, beside(us + 1)));
    await runSql(registry, 'DELETE FROM revision WHERE until_us = ?', [us + 2]);
  });

  it.each([
    ['that has ended', 0, (began: number, ended: number) => ({ modified_us: began, until_us: ended - 1 })],
    ['that is the present one', 2, (_: number, ended: number) => ({ modified_us: ended, until_us: ended + 1 })],
  ])('is found if a history has a second state at the instant of one %s', async (_, place, instants) => {
    const { id } = changed;
    const [row] = (await runSql(registry, 'SELECT * FROM revision WHERE asset = ? AND listed = 1', [id])) as {
      modified_us: number | string;
      until_us: number | string;
    }[];
    const second = instants(Number(row?.modified_us), Number(row?.until_us));
    await insertRevision({ ...row, ...second, status: 'verification' });
    const { code, faults } = await verify();
    const why = beside(second.modified_us).replace('shows a state', 'shows another state');
    expect([code, faults]).toEqual([6, expect.arrayContaining([[place, id, why]])]);
    await runSql(registry, 'DELETE FROM revision WHERE until_us = ?', [second.until_us]);
  });

  it.each([
    ['sooner', -1],
    ['later', 1],
  ])('is found if a state ends %s in a history than the next one begins', async (_, us) => {
    const { id } = changed;
    const [row] = (await runSql(registry, 'SELECT * FROM revision WHERE asset = ? AND listed = 1', [id])) as {
      until_us: number | string;
    }[];
    const ended = Number(row?.until_us);
    const end = (from: number, to: number): Promise<unknown> =>
      runSql(registry, 'UPDATE revision SET until_us = ? WHERE until_us = ?', [to, from]);
    await end(ended, ended + us);
    expect(await verify()).toEqual(found(2, changed, beside(ended + us)));
    await end(ended + us, ended);
  });

  it('is found if a draft is shown as public', async () => {
    const [row] = (await runSql(registry, 'SELECT * FROM revision WHERE asset = ? AND listed = 0', [published.id])) as {
      modified_us: number | string;
    }[];
    const list = (listed: number): Promise<unknown> =>
      runSql(registry, 'UPDATE revision SET listed = ? WHERE modified_us = ?', [listed, row?.modified_us]);
    await list(1);
    expect(await verify()).toEqual(found(1, published, beside(Number(row?.modified_us))));
    await list(0);
  });

  it.each([
    ['a later one', 1],
    ['one of another millennium', 8_000 * 365 * 86_400_000_000],
  ])('is found if the instant of the present state is %s than in the feed', async (_, us) => {
    const [row] = (await runSql(registry, 'SELECT feed_us FROM asset WHERE id = ?', [published.id])) as {
      feed_us: number | string;
    }[];
    const move = (by: number): Promise<unknown> =>
      runSql(registry, 'UPDATE asset SET modified_us = feed_us + ? WHERE id = ?', [by, published.id]);
    await move(us);
    const shownUs = Math.min(Number(row?.feed_us) + us, Date.UTC(9999, 11, 31) * 1_000);
    expect(await verify()).toEqual(found(1, published, beside(shownUs)));
    await move(0);
    // The copy was repaired from what was shown, and is repaired again by what is shown now.
    expect(await verify()).toEqual(sound);
  });

  it.each([
    ['later', 1],
    ['beyond the end of the feed', 3_600_000_000],
  ])('is found if the place in the feed is %s and the asset is unchanged', async (_, us) => {
    const [row] = (await runSql(registry, 'SELECT modified_us FROM asset WHERE id = ?', [published.id])) as {
      modified_us: number | string;
    }[];
    const move = (by: number): Promise<unknown> =>
      runSql(registry, 'UPDATE asset SET feed_us = modified_us + ? WHERE id = ?', [by, published.id]);
    await move(us);
    const { code, faults } = await verify();
    expect([code, faults]).toEqual([
      6,
      expect.arrayContaining([[1, published.id, beside(Number(row?.modified_us) + us)]]),
    ]);
    await move(0);
    // The copy was repaired from what was shown, and is repaired again by what is shown now.
    expect(await verify()).toEqual(sound);
  });

  it.each([
    ['has a name twice, of which others than JavaScript read the first', '"title":"forged"'],
    ['is of lists in lists, more than a stack is deep', `"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['is deep and wide, as the pointers are longer than a memory', `"deep":${COMB}`],
  ])('is found if a state %s', async (_, forged) => {
    const [row] = (await runSql(registry, 'SELECT body FROM asset WHERE id = ?', [published.id])) as { body: string }[];
    const body = String(row?.body);
    const write = (other: string): Promise<unknown> =>
      runSql(registry, 'UPDATE asset SET body = ? WHERE id = ?', [other, published.id]);
    await write(body.replace('"title":', `${forged},"title":`));
    const why = 'the state that the registry shows: ';
    expect(await verify()).toEqual(found(1, published, expect.stringContaining(why)));
    await write(body);
  });

  it('is found if an entry’s opening is no longer JSON', async () => {
    const [row] = (await runSql(registry, 'SELECT opening FROM log_entry WHERE place = 1')) as { opening: string }[];
    const open = (opening: string | undefined): Promise<unknown> =>
      runSql(registry, 'UPDATE log_entry SET opening = ? WHERE place = 1', [opening]);
    for (const other of ['{', '7', '[]', '']) {
      await open(other);
      const why = 'the state that the registry shows: it has no valid opening of the commitment';
      expect(await verify()).toEqual(found(1, published, why));
    }
    await open(row?.opening);
  });

  it('is no longer reported once everything is restored', async () => {
    expect(await verify()).toEqual(sound);
  });
});

describe('an erasure that an operator writes into the database, on SQLite', () => {
  const [PAST, OTHERS, PRESENT] = [0, 1, 2];
  let registry: TestRegistry;
  let copy: string;
  let owned: Owned;
  let copied: LogRow[];

  beforeAll(async () => {
    registry = await TestRegistry.start(databases[0] as TestDatabaseKind, {
      LOG_KEY: newLogKey('registry.example.org/log'),
    });
    owned = await publish(registry, { title: 'what is to go', description: 'what is to stay' });
    await publish(registry);
    await change(registry, owned, { quantity: 77 });
    await checkpointOf(registry, PRESENT + 1);
    await keepWhole();
    copy = `sqlite:${join(process.env.TEST_FOLDER as string, 'erasure-that-never-was.sqlite')}`;
    await syncCommand(registry.url, '--to', copy, '--log');
    expect(await verified()).toEqual({ code: 0, faults: [] });
    copied = await copiedLog();
  });
  afterAll(() => registry?.stop());

  const keepWhole = async (): Promise<void> => {
    const source = await openWriter(registry.databaseUrl);
    await TamperedDatabase.take(source, { size: 0, note: '' });
    await source.destroy();
  };
  const copiedLog = async (): Promise<LogRow[]> => {
    const opened = await openCopyToRead(readTarget(copy));
    const rows = await opened.logRows(0, 100);
    await opened.close();
    return rows;
  };
  const verified = async (): Promise<{ code: number | null; faults: [number, string][] }> => {
    const { code, stdout } = await syncCommand('verify', registry.url, copy, '--json');
    const { faults } = (JSON.parse(stdout) as { log: { faults: { place: number; why: string }[] } }).log;
    return { code, faults: faults.map(({ place, why }) => [place, why]) };
  };
  const shown = async (place: number): Promise<SeenEntry> => {
    const { json } = await registry.send(`${LOG}/assets?from=${place}&limit=1`);
    return (json.data as SeenEntry[])[0] as SeenEntry;
  };
  const revision = async (): Promise<Record<string, unknown>> => {
    const sql = 'SELECT * FROM revision WHERE asset = ? AND listed = 1 ORDER BY modified_us LIMIT 1';
    return ((await runSql(registry, sql, [owned.id])) as Record<string, unknown>[])[0] as Record<string, unknown>;
  };
  const write = async (body: string, opening: string): Promise<void> => {
    const { until_us: untilUs } = await revision();
    const set = 'UPDATE revision SET body = ?, checksum = ? WHERE until_us = ?';
    await runSql(registry, set, [body, checksumOf(body), untilUs]);
    await runSql(registry, 'UPDATE log_entry SET opening = ? WHERE place = ?', [opening, PAST]);
  };
  const later = (instant: string, us: number): string => new RegistryTime('UTC').print(instantUs(instant) + us);

  const FUTURE_US = 86_400_000_000;
  const instants: Record<string, () => Promise<string>> = {
    'an instant to come': async () => later((await shown(PRESENT)).asset?.['dateModified'] as string, FUTURE_US),
    'the instant of an entry of another asset': async () => (await shown(OTHERS)).asset?.['dateModified'] as string,
    'the instant of a later entry': async () => (await shown(PRESENT)).asset?.['dateModified'] as string,
  };

  it.each([
    ['/titel', 'the instant of a later entry', 'not what the commitment binds'],
    ['/title', 'an instant to come', 'no later entry of the asset at that instant confirms'],
    ['/title', 'the instant of a later entry', 'no later entry of the asset at that instant confirms'],
    ['/title', 'the instant of an entry of another asset', 'no later entry of the asset at that instant confirms'],
  ])(
    'is found if a title is shown as erased as %s at %s, and the copy of a mirror stays unchanged',
    async (pointer, instant, why) => {
      const [row, { asset, opening }] = [await revision(), await shown(PAST)];
      const opened = erasedOpening(asset as object as Record<string, unknown>, opening, ['/title']);
      const [digest] = Object.values((opened as { erased: Record<string, string> }).erased);
      const at = await (instants[instant] as () => Promise<string>)();
      const { title: _, ...others } = JSON.parse(String(row['body'])) as JsonObject;
      const body = JSON.stringify({ ...others, redacted: [{ pointer, reason: 'because', at }] });
      await write(body, JSON.stringify({ ...opened, erased: { [pointer]: digest } }));
      for (let i = 0; i < 2; i++)
        expect(await verified()).toEqual({ code: 6, faults: [[PAST, expect.stringContaining(why)]] });
      expect(await copiedLog()).toEqual(copied);
      const fresh = `sqlite:${join(mkdtempSync(join(process.env.TEST_FOLDER as string, 'fresh-')), 'copy.sqlite')}`;
      await syncCommand(registry.url, '--to', fresh, '--log');
      expect(await syncCommand('verify', registry.url, fresh)).toMatchObject({ code: 6 });
      await write(String(row['body']), JSON.stringify(opening));
      expect(await verified()).toEqual({ code: 0, faults: [] });
    },
  );

  it('is found by the copy even if the later state is forged to match, and the copy of a mirror stays unchanged', async () => {
    const [row, { asset, opening }] = [await revision(), await shown(PAST)];
    const opened = erasedOpening(asset as object as Record<string, unknown>, opening, ['/title']);
    const at = (await shown(PRESENT)).asset?.['dateModified'] as string;
    const redacted = [{ pointer: '/title', reason: 'because', at }];
    const { title: _, ...others } = JSON.parse(String(row['body'])) as JsonObject;
    await write(JSON.stringify({ ...others, redacted }), JSON.stringify(opened));
    const sql = 'SELECT body FROM asset WHERE id = ?';
    const [{ body }] = (await runSql(registry, sql, [owned.id])) as [{ body: string }];
    const present = JSON.stringify({ ...(JSON.parse(body) as JsonObject), redacted });
    await runSql(registry, 'UPDATE asset SET body = ? WHERE id = ?', [present, owned.id]);
    const why = 'the copy has another list of its erased fields';
    for (const words of [[], ['--documents']]) {
      const { code, stdout } = await syncCommand('verify', registry.url, copy, ...words);
      expect([code, stdout]).toEqual([6, expect.stringContaining(why)]);
      expect(await copiedLog()).toEqual(copied);
    }
    await runSql(registry, 'UPDATE asset SET body = ? WHERE id = ?', [body, owned.id]);
    await write(String(row['body']), JSON.stringify(opening));
    expect(await verified()).toEqual({ code: 0, faults: [] });
  });

  it('is found if another value is changed together with a real erasure, and the copy of a mirror stays unchanged', async () => {
    const name = new URL(registry.databaseUrl).pathname.split('/').at(-1) as string;
    const words = ['redact', owned.id, '--field', '/title', '--reason', 'because', '--yes', name];
    expect(await command(words, { DATABASE_URL: registry.databaseUrl })).toMatchObject({ code: 0 });
    await checkpointOf(registry, PRESENT + 2);
    await keepWhole();
    const [row, { opening }] = [await revision(), await shown(PAST)];
    const changed = String(row['body']).replace('what is to stay', 'what was never said');
    await write(changed, JSON.stringify(opening));
    const { code, stderr } = await syncCommand(registry.url, '--to', copy);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`The entry at place ${PAST} of the log (asset ${owned.id}) is not replaced`),
    ]);
    const faults = [[PAST, expect.stringContaining('not what the commitment binds')]];
    for (let i = 0; i < 2; i++) expect(await verified()).toEqual({ code: 6, faults });
    expect((await copiedLog())[PAST]).toEqual(copied[PAST]);
    await write(String(row['body']), JSON.stringify(opening));
    expect(await verified()).toEqual({ code: 0, faults: [] });
    for (const { document } of await copiedLog()) expect(document).not.toContain('what is to go');
  });
});
