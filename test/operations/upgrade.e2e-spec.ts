import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { DataSource, QueryRunner } from 'typeorm';
import { backUp } from '../../src/database/copy/backup.js';
import { createDataSource, dataSourceOptions } from '../../src/database/connections/data-sources.js';
import { MIGRATIONS } from '../../src/database/migrations/migrations.js';
import { ASSETS, change, create, type Owned, read } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { newFolder } from '../support/new-folder.js';
import { TestRegistry } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { silent } from '../support/silent-progress.js';

/** A migration of a later version, which only adds, as CONTRIBUTING.md requires. */
async function migrateFurther(registry: TestRegistry): Promise<void> {
  const statements = [
    'ALTER TABLE asset ADD COLUMN later_us bigint NULL',
    'CREATE INDEX ix_asset_later ON asset (later_us, id)',
    'CREATE TABLE later (id varchar(32) NOT NULL PRIMARY KEY)',
    `INSERT INTO migrations (timestamp, name) VALUES (9000000000000, 'Later9000000000000')`,
  ];
  for (const statement of statements) await runSql(registry, statement);
}

describe.each(databases)('a service on a schema that a later version has migrated on $name', (kind) => {
  let later: TestRegistry;
  let service: TestRegistry;
  let asset: Owned;

  beforeAll(async () => {
    later = await TestRegistry.start(kind);
    asset = await create(later);
    await migrateFurther(later);
    await later.close();
    service = await TestRegistry.startOn(later.databaseUrl);
  });
  afterAll(async () => {
    await service?.close();
    await later?.drop();
  });

  it('starts, reads and writes', async () => {
    expect((await read(service, asset)).status).toBe(200);
    expect((await change(service, asset, { status: 'pending' })).status).toBe(200);
    expect((await create(service)).asset.status).toBe('draft');
  });

  it('has no backup but by that version, as the tables of the later one would be missing in it', async () => {
    const folder = newFolder();
    const message = ' is of a later version (Later9000000000000): run the command of that version';
    await expect(backUp(later.databaseUrl, join(folder, 'backup.sqlite'), silent)).rejects.toThrow(message);
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** Columns of the first schema, referenced tables first. */
const FIRST_COLUMNS = {
  account: 'id, name, role, created_us',
  api_key: 'id, account_id, digest, created_us, expires_us, revoked_us',
  asset:
    'id, asset_id, asset_type, status, owner, token_digest, related_lot, body, version, created_us, modified_us, feed_us',
  asset_sequence: 'day, last_number',
};

/** A connection that knows these migrations; with `fails`, each of its statements that may break off half-way fails once after it was done. */
async function connect(databaseUrl: string, migrations: typeof MIGRATIONS, fails?: Set<string>): Promise<DataSource> {
  const source = createDataSource({ ...(await dataSourceOptions(databaseUrl, 'writer')), migrations });
  await source.initialize();
  if (fails === undefined) return source;
  const createRunner = source.createQueryRunner.bind(source);
  source.createQueryRunner = (mode) => breakingOff(createRunner(mode), fails);
  return source;
}

function breakingOff(runner: QueryRunner, done: Set<string>): QueryRunner {
  const query = runner.query.bind(runner) as (sql: string, ...more: unknown[]) => Promise<unknown>;
  const queryOnce = async (sql: string, ...more: unknown[]): Promise<unknown> => {
    const rows = await query(sql, ...more);
    if (!/^(?:ALTER|CREATE|INSERT|UPDATE)/.test(sql) || done.has(sql)) return rows;
    done.add(sql);
    throw new Error('interrupted');
  };
  return Object.assign(runner, { query: queryOnce });
}

/** Migrates to the end, interrupted once after each statement. @returns number of runs */
async function migrateWithInterruptions(databaseUrl: string, inBetween?: () => Promise<unknown>): Promise<number> {
  const source = await connect(databaseUrl, MIGRATIONS, new Set());
  // TypeORM logs each failure.
  const consoleLog = jest.spyOn(console, 'log').mockReturnValue();
  for (let times = 1; ; times++) {
    const failure = await source.runMigrations().then(
      () => undefined,
      (error: Error) => error.message,
    );
    await inBetween?.();
    if (failure !== undefined) expect(failure).toBe('interrupted');
    if (failure !== undefined) continue;
    await source.destroy();
    consoleLog.mockRestore();
    return times;
  }
}

describe.each(databases)('an upgrade from the first schema on $name', (kind) => {
  let database: TestDatabase;
  let old: DataSource;
  let asset: Owned;

  /** Fills the first schema's columns with rows of the present version. */
  async function fillAsFirstVersion(): Promise<void> {
    const today = await TestRegistry.start(kind);
    asset = await create(today);
    await change(today, asset, { status: 'pending' });
    for (const [table, columns] of Object.entries(FIRST_COLUMNS)) {
      const rows = (await runSql(today, `SELECT ${columns} FROM ${table}`)) as Record<string, unknown>[];
      const placeholders = columns.replaceAll(/\w+/g, '?');
      for (const row of rows)
        await old.query(`INSERT INTO ${table} (${columns}) VALUES (${placeholders})`, Object.values(row));
    }
    await old.query('UPDATE feed_clock SET last_us = (SELECT MAX(modified_us) FROM asset)');
    await today.close();
    await today.drop();
  }

  /** A change as the first version made it. */
  const changeAsFirstVersion = (): Promise<unknown> =>
    old.transaction(async (transaction) => {
      await transaction.query('UPDATE feed_clock SET last_us = last_us + 1 WHERE id = 1');
      const now = '(SELECT last_us FROM feed_clock WHERE id = 1)';
      await transaction.query(
        `UPDATE asset SET version = version + 1, modified_us = ${now}, feed_us = ${now} WHERE id = ?`,
        [asset.asset.id],
      );
    });

  beforeAll(async () => {
    database = await kind.create();
    old = await connect(database.url, MIGRATIONS.slice(0, 1));
    await old.runMigrations();
    await fillAsFirstVersion();
  });
  afterAll(async () => {
    await old?.destroy();
    await database?.drop();
  });

  it('continues after an interruption at any statement, while the old version writes', async () => {
    const times = await migrateWithInterruptions(database.url, changeAsFirstVersion);
    expect(times).toBeGreaterThan(MIGRATIONS.length);
    const [{ n }] = await old.query<[{ n: number | string }]>('SELECT COUNT(*) AS n FROM migrations');
    expect(Number(n)).toBe(MIGRATIONS.length);
  });

  it('leaves the schema of a new database', async () => {
    const upgraded = await connect(database.url, MIGRATIONS);
    const { upQueries } = await upgraded.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
    for (const table of ['feed_clock', 'feed_barrier'])
      expect(await upgraded.query(`SELECT id FROM ${table}`)).toHaveLength(1);
    await upgraded.destroy();
  });

  it('keeps assets, keys and tokens, which work in the new version', async () => {
    const registry = await TestRegistry.startOn(database.url);
    expect((await read(registry, asset)).json.data).toMatchObject({ title: asset.asset['title'], status: 'pending' });
    expect((await registry.send(ASSETS)).json.data).toMatchObject([{ id: asset.asset.id }]);
    expect((await change(registry, asset, { title: 'after the upgrade' })).status).toBe(200);
    expect((await create(registry)).asset.status).toBe('draft');
    await registry.close();
  });
});
