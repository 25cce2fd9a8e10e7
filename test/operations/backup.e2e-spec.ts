import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { backUp } from '../../src/database/copy/backup.js';
import { createDataSource, dataSourceOptions } from '../../src/database/connections/data-sources.js';
import { ASSETS, change, publish, read } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { addAssets } from '../support/many-assets.js';
import { migrate } from '../support/migrated.js';
import { type Entry, follow } from '../support/pages.js';
import { runCli, runCliWithFileLimit } from '../support/process.js';
import { TestRegistry } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { silent } from '../support/silent-progress.js';

const OLD_ASSETS = 3_000;
const WRITERS = 4;
/** Less than the assets need. */
const ROOM_KIB = 1_024;

describe.each(databases)('registry backup on $name', (kind) => {
  let folder: string;
  let database: TestDatabase;
  let registry: TestRegistry;
  let restored: TestRegistry;
  let file: string;
  /** dateModified of every acknowledged change, by asset. */
  const acknowledged = new Map<string, string[]>();
  let before: Map<string, string[]>;
  let output: string;
  let listed: Map<string, string>;

  /** Publishes and changes assets until `isOver`. */
  async function write(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const owned = await publish(registry);
      acknowledged.set(owned.id, [owned.asset.dateModified]);
      const reply = await change(registry, owned, { title: `Змінено ${owned.id}` });
      acknowledged.set(owned.id, [owned.asset.dateModified, reply.json.data.dateModified]);
    }
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'registry-backup-'));
    file = join(folder, 'backup.sqlite');
    database = await kind.create();
    await migrate(database.url);
    registry = await TestRegistry.startOn(database.url);
    await publish(registry);
    await addAssets(database.url, OLD_ASSETS);
    let over = false;
    const writers = Array.from({ length: WRITERS }, () => write(() => over));
    while (acknowledged.size < 2 * WRITERS) await read(registry, { id: 'nothing' });
    before = new Map(acknowledged);
    const { code, output: said } = await runCli(['backup', file], { DATABASE_URL: database.url });
    over = true;
    await Promise.all(writers);
    output = said;
    expect(`${code} ${said}`).toMatch(/^0 /);
  });
  afterAll(async () => {
    await restored?.close();
    await registry?.close();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('writes one file that only its owner can read, and summarises its contents', () => {
    expect(readdirSync(folder)).toEqual(['backup.sqlite']);
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    expect(output).toMatch(/backup\.sqlite holds \d{4} assets up to 2\d{3}-/);
    expect(output).toMatch(/^\{"step":"compare asset","done":(\d{4}),"total":\1\}$/m);
  });

  it('has the schema that the migrations build', async () => {
    const dataSource = createDataSource(await dataSourceOptions(`sqlite:${file}`, 'reader'));
    await dataSource.initialize();
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    await dataSource.destroy();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('can be served as it is: everything that was acknowledged before it began is there', async () => {
    restored = await TestRegistry.startOn(`sqlite:${file}`);
    const entries: Entry[] = await follow(restored, `${ASSETS}?limit=1000`);
    listed = new Map(entries.map(({ id, dateModified }) => [id, dateModified]));
    expect(listed.size).toBeGreaterThanOrEqual(OLD_ASSETS + before.size);
    // Later is right too: it may have been changed again before the backup took its moment.
    for (const [id, instants] of before) expect((listed.get(id) ?? '') >= String(instants.at(-1))).toBe(true);
  });

  it('is a prefix of the history under load: complete up to its clock, and empty after it', async () => {
    const [row] = (await runSql(restored, 'SELECT last_us FROM feed_clock')) as { last_us: number }[];
    const clockMs = Number(row?.last_us) / 1_000;
    const ms = (instant: string): number => Date.parse(instant.replace(/(\.\d{3})\d{3}/, '$1')) + usOf(instant);
    let later = 0;
    for (const [id, instants] of acknowledged) {
      const inside = instants.filter((instant) => ms(instant) <= clockMs);
      later += instants.length - inside.length;
      if (inside.length > 0) expect(listed.get(id)).toBe(inside.at(-1));
      else expect(listed.has(id)).toBe(false);
    }
    // Proves that writes ran during the backup.
    expect(later).toBeGreaterThan(0);
  });

  it('has the assets byte for byte', async () => {
    for (const [id, instants] of before) {
      const [theirs, ours] = [await read(restored, { id }), await read(registry, { id })];
      if (theirs.json.data.dateModified === instants.at(-1)) expect(theirs.text).toBe(ours.text);
      else expect(theirs.status).toBe(200);
    }
  });

  it('never overwrites a file', async () => {
    await expect(backUp(database.url, file, silent)).rejects.toThrow(/exists already/);
    const other = join(folder, 'other.sqlite');
    writeFileSync(`${other}.partial`, '');
    await expect(backUp(database.url, other, silent)).rejects.toThrow(
      /another backup is running, or one was interrupted/,
    );
    expect(existsSync(other)).toBe(false);
  });

  // The rest is the same from wherever a backup is made.
  if (kind.name !== 'SQLite') return;

  it('reports a missing folder', async () => {
    const { code, output: said } = await command(['backup', `${file}-none/backup`], { DATABASE_URL: database.url });
    expect([code, said]).toEqual([1, expect.stringMatching(/^registry: .*: there is no folder .*-none$/m)]);
  });

  it('on a full disk names the file that cannot be written, and leaves no file', async () => {
    const full = join(folder, 'full.sqlite');
    const { code, output: said } = await runCliWithFileLimit(ROOM_KIB, ['backup', full], {
      DATABASE_URL: database.url,
    });
    expect([code, said]).toEqual([
      1,
      expect.stringContaining(`while ${full} was written: its file cannot be written: `),
    ]);
    expect(readdirSync(folder).filter((name) => name.startsWith('full'))).toEqual([]);
  });

  it('of an incomplete database is refused, and leaves no file', async () => {
    const half = await TestRegistry.start(kind);
    await runSql(half, `UPDATE feed_clock SET copying = 'restore'`);
    await half.close();
    const copy = join(folder, 'half.sqlite');
    await expect(backUp(half.databaseUrl, copy, silent)).rejects.toThrow(/incomplete/);
    await half.drop();
    expect(readdirSync(folder).filter((name) => name.startsWith('half'))).toEqual([]);
  });

  it('of an older schema asks for its migration first', async () => {
    const old = await TestRegistry.start(kind);
    await runSql(old, `DELETE FROM migrations WHERE name LIKE 'FeedEpoch%'`);
    await old.close();
    await expect(backUp(old.databaseUrl, join(folder, 'old.sqlite'), silent)).rejects.toThrow(/is behind.*migrate/);
    await old.drop();
  });
});

/** The microseconds of a printed instant below its milliseconds, in milliseconds. */
function usOf(instant: string): number {
  return Number(/\.\d{3}(\d{3})/.exec(instant)?.[1]) / 1_000;
}

describe('the recipe for scheduled backups', () => {
  const DAY_MS = 86_400_000;
  const RECIPE = 'docs/systemd/asset-registry-backup.sh';
  let folder: string;
  let database: TestDatabase;

  /** As the timer does, and with the `node` that runs the tests. */
  const run = (databaseUrl: string): Promise<{ stdout: string }> => {
    const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
    return promisify(execFile)('/bin/sh', [RECIPE, folder, '30'], { env: { PATH, DATABASE_URL: databaseUrl } });
  };
  const put = (name: string, days: number): void => {
    const path = join(folder, name);
    writeFileSync(path, 'old');
    const at = new Date(Date.now() - days * DAY_MS);
    utimesSync(path, at, at);
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'registry-backups-'));
    database = await (databases[0] as (typeof databases)[0]).create();
    await migrate(database.url);
    put('registry-2026-01-01T021700Z.sqlite', 32);
    put('registry-2026-01-31T021700Z.sqlite', 29);
    put('registry-2026-01-02T021700Z.sqlite.partial', 2);
    put('of-somebody-else.sqlite', 99);
  });
  afterAll(async () => {
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('reports missing arguments', async () => {
    await expect(promisify(execFile)('/bin/sh', [RECIPE])).rejects.toThrow('FOLDER is missing');
    await expect(promisify(execFile)('/bin/sh', [RECIPE, folder])).rejects.toThrow('DAYS is missing');
  });

  it('removes nothing if the backup failed', async () => {
    await expect(run('sqlite:/nonexistent/registry.sqlite')).rejects.toMatchObject({ code: 1 });
    expect(readdirSync(folder)).toHaveLength(4);
  });

  it('makes a backup with the time in its name, and removes its own backups that are older than the limit', async () => {
    const { stdout } = await run(database.url);
    const [, name = ''] = /\/(registry-\d{4}-\d{2}-\d{2}T\d{6}Z\.sqlite) holds 0 assets/.exec(stdout) ?? [];
    expect(readdirSync(folder).toSorted()).toEqual(
      ['of-somebody-else.sqlite', 'registry-2026-01-31T021700Z.sqlite', name].toSorted(),
    );
    expect((statSync(join(folder, name)).mode & 0o777).toString(8)).toBe('600');
  });
});
