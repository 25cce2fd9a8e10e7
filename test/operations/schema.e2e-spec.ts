import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource, QueryRunner } from 'typeorm';
import { TIME_BUDGETS_MS } from '../../src/platform/config/time-budgets.js';
import { createDataSource, databaseParts, dataSourceOptions } from '../../src/database/connections/data-sources.js';
import { Database } from '../../src/database/database.js';
import { SqliteDialect } from '../../src/database/dialects/sqlite/sqlite.dialect.js';
import { MIGRATIONS } from '../../src/database/migrations/migrations.js';
import { RevisionReader } from '../../src/database/readers/revision-reader.js';
import { command } from '../support/commands.js';
import { databases, type TestDatabase, type TestDatabaseKind } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { runSql } from '../support/rows.js';

/** Step of SQLite's query plan. */
interface Step {
  detail: string;
}

const [sqlite] = databases as [TestDatabaseKind];

describe.each(databases)('the schema on $name', (kind) => {
  let database: TestDatabase;
  let dataSource: DataSource;
  const drift = async (): Promise<string[]> => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    return upQueries.map(({ query }) => query);
  };

  beforeAll(async () => {
    database = await kind.create();
    dataSource = createDataSource(await dataSourceOptions(database.url, 'writer'));
    await dataSource.initialize();
    await dataSource.runMigrations();
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await database?.drop();
  });

  it('matches the entities after the migrations', async () => {
    expect(await drift()).toEqual([]);
  });

  it.each([
    ['other case', 'ABC'],
    ['an accent', 'ábc'],
    ['a trailing space', 'abc '],
  ])('does not take %s for the same text', async (_, name) => {
    const insert = `INSERT INTO account (id, name, role, created_us) VALUES ('abc', 'abc', 'broker', 0)`;
    await dataSource.query(insert);
    try {
      expect(await dataSource.query('SELECT id FROM account WHERE name = ?', [name])).toEqual([]);
      expect(await dataSource.query('SELECT id FROM account WHERE name = ?', ['abc'])).toHaveLength(1);
    } finally {
      await dataSource.query(`DELETE FROM account WHERE id = 'abc'`);
    }
  });

  it.each([
    ['instant', 'UA-1', 'UA-2', 5, 5],
    ['number', 'UA-1', 'UA-1', 5, 6],
  ])('rejects a second asset with the same %s', async (_, number, other, us, otherUs) => {
    const insert = (id: string, assetId: string, feedUs: number): Promise<unknown> =>
      dataSource.query(
        `INSERT INTO asset (id, asset_id, asset_type, status, owner, token_digest, body, version, created_us, modified_us, feed_us)
         VALUES (?, ?, '', '', '', '', '', 1, 0, 0, ?)`,
        [id, assetId, feedUs],
      );
    await insert('a', number, us);
    await expect(insert('b', other, otherUs)).rejects.toThrow(/uniq|duplicate/i);
    await dataSource.query('DELETE FROM asset');
  });

  it('answers the plain listing from an index alone', async () => {
    const isSqlite = kind.name === 'SQLite';
    const page = 'SELECT id, feed_us FROM asset WHERE feed_us > 5 AND feed_us < 500 ORDER BY feed_us ASC LIMIT 100';
    const plan = JSON.stringify(
      await dataSource.query(`EXPLAIN ${isSqlite ? 'QUERY PLAN' : 'FORMAT=TRADITIONAL'} ${page}`),
    );
    expect(plan).toContain(isSqlite ? 'USING COVERING INDEX' : 'Using index');
    expect(plan).not.toContain('filesort');
  });
});

describe('a history in a file', () => {
  it('is read without going through the bodies of its states', async () => {
    const asked: { sql: string; values: readonly unknown[] }[] = [];
    const read = (sql: string, values: readonly unknown[]): Promise<object[]> => {
      asked.push({ sql, values });
      return Promise.resolve([]);
    };
    const reader = new RevisionReader({ dialect: new SqliteDialect('none'), read } as unknown as Database);
    await reader.list('a'.repeat(32), { afterUs: -1, beforeUs: Number.MAX_SAFE_INTEGER, newestFirst: true, limit: 9 });
    const [{ sql, values }] = asked as [(typeof asked)[number]];

    const database = await sqlite.create();
    await migrate(database.url);
    const steps = (await runSql({ databaseUrl: database.url }, `EXPLAIN QUERY PLAN ${sql}`, [...values])) as Step[];
    await database.drop();
    const ofChanges = steps.filter(({ detail }) => /\b(?:previous|own)\b/.test(detail));
    expect(ofChanges.length).toBeGreaterThanOrEqual(3);
    for (const { detail } of ofChanges) expect(detail).toContain('USING COVERING INDEX');
  });
});

describe.each(databases.filter(({ name }) => name !== 'SQLite'))(
  'on $name a database of another character set',
  (kind) => {
    let database: TestDatabase;

    /** The server's default character set: latin1 for MariaDB before 11.6. */
    async function inLatin1(...statements: string[]): Promise<void> {
      database = await kind.create();
      const dataSource = createDataSource(await dataSourceOptions(database.url, 'writer'));
      await dataSource.initialize();
      for (const sql of ['ALTER DATABASE CHARACTER SET latin1', ...statements]) await dataSource.query(sql);
      await dataSource.destroy();
    }
    const migrated = (): Promise<unknown> => command(['migrate'], { DATABASE_URL: database.url });

    afterEach(() => database.drop());

    it('stores every text after a migration, if it had no tables', async () => {
      await inLatin1();
      expect(await migrated()).toMatchObject({ code: 0, output: expect.stringContaining('Migrated') });
      expect(await migrated()).toMatchObject({ code: 0, output: 'The schema is up to date\n' });
    });

    it('accepts a move into it, if it has no tables', async () => {
      const from = await sqlite.create();
      await migrate(from.url);
      await inLatin1();
      const { code, output } = await command(['db', 'move', from.url, database.url], {});
      expect([code, output]).toEqual([0, expect.stringContaining('Moved: every row is the same')]);
      await from.drop();
    });
  },
);

/** As TypeORM creates it. */
const MIGRATED = 'CREATE TABLE migrations (id INT, timestamp BIGINT, name VARCHAR(255))';

describe.each(databases)('another program’s database on $name', (kind) => {
  let database: TestDatabase;
  const sql = (text: string): Promise<unknown[]> => runSql({ databaseUrl: database.url }, text) as Promise<unknown[]>;

  beforeEach(async () => {
    database = await kind.create();
  });
  afterEach(() => database.drop());

  it.each([
    [
      'of our names',
      ['CREATE TABLE asset (id INT)', 'CREATE TABLE account (id INT)', 'CREATE TABLE feed_clock (id INT)'],
    ],
    ['of another project’s migrations by TypeORM', [MIGRATED, `INSERT INTO migrations VALUES (1, 1, 'Theirs1')`]],
    ['and no migrations by TypeORM yet', [MIGRATED, 'CREATE TABLE theirs (id INT)']],
  ])('that has tables %s is left as it is by migrate and db move', async (_, statements) => {
    for (const text of statements) await sql(text);
    const whatItIs = async (): Promise<unknown> => {
      if (kind.name === 'SQLite') return readFileSync(database.url.slice('sqlite:'.length));
      const tables = 'SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()';
      return [await sql('SHOW CREATE DATABASE ' + new URL(database.url).pathname.slice(1)), await sql(tables)];
    };
    const before = await whatItIs();
    const from = await sqlite.create();
    await migrate(from.url);
    for (const [words, env] of [
      [['migrate'], { DATABASE_URL: database.url }],
      [['db', 'move', from.url, database.url], {}],
    ] as const)
      expect(await command(words, env as Record<string, string>)).toEqual({
        code: 1,
        output: expect.stringMatching(/^registry: \S+ is the database of another program: /),
      });
    await from.drop();
    expect(await whatItIs()).toEqual(before);
  });
});

describe.each(databases.filter(({ name }) => name !== 'SQLite'))('the default collation on $name', (kind) => {
  it('of a registry’s database is not changed again: a migration that needs it names the statement', async () => {
    const database = await kind.create();
    await migrate(database.url);
    const run = (text: string): Promise<unknown> => runSql({ databaseUrl: database.url }, text);
    await run(`DELETE FROM migrations WHERE name LIKE 'ClockWitness%'`);
    await run('ALTER DATABASE COLLATE utf8mb4_general_ci');
    const { code, output } = await command(['migrate'], { DATABASE_URL: database.url });
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/collation of .* is utf8mb4_general_ci.*: run "ALTER DATA/),
    ]);
    const [, statement = ''] = /"(ALTER [^"]*)"/.exec(output) ?? [];
    await run(statement);
    expect(await command(['migrate'], { DATABASE_URL: database.url })).toMatchObject({ code: 0 });
    await database.drop();
  });
});

/** MariaDB limits the time of every statement, MySQL that of SELECT alone. */
class Slow1800000000000 {
  readonly name = 'Slow1800000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE slow AS SELECT SLEEP(${TIME_BUDGETS_MS.statementOnServer / 1_000 + 1}) AS n`);
  }
}

it.each(databases.filter(({ name }) => name !== 'SQLite'))(
  'a migration on $name may take longer than a statement of the service',
  async (kind) => {
    const database = await kind.create();
    const options = await dataSourceOptions(database.url, 'writer');
    const writer = createDataSource({ ...options, migrations: [...MIGRATIONS, Slow1800000000000] });
    const registry = new Database(writer, writer, databaseParts(database.url));
    expect(await registry.migrate()).toContain('Slow1800000000000');
    await writer.destroy();
    await database.drop();
  },
);
