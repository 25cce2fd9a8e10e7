import Sqlite from 'embedded-sqlite';
import type { DataSource } from 'typeorm';
import type { BetterSqlite3DataSourceOptions } from 'typeorm/driver/better-sqlite3/BetterSqlite3DataSourceOptions.js';
import { TIME_BUDGETS_MS } from '../../../platform/config/time-budgets.js';
import { ENTITIES } from '../../entities/entities.js';
import { MIGRATIONS } from '../../migrations/migrations.js';
import { ensurePrivateFile } from '../../files/private-file.js';
import type { StatementRunner } from '../statement-runner.js';
import {
  type DatabaseSide,
  type Dialect,
  type DriverConnection,
  type DurabilitySettings,
  type Failure,
  type SessionSide,
  type SqlForms,
} from '../dialect.js';
import { codeOf } from '../error-code.js';
import { prepareFile } from './registry-file.js';
import { handleOf, SqliteConnection } from './sqlite-connection.js';
import { SqliteLane } from './sqlite-lane.js';
import { createFolderOf, describeSqliteRefusal, describeSqliteFailure } from './sqlite-messages.js';

/** With `synchronous = FULL`, SQLite in WAL mode syncs a commit before it is visible. */
const PRAGMAS = ['synchronous = FULL', 'foreign_keys = ON', 'trusted_schema = OFF'];

export function sqliteOptions(path: string, side: DatabaseSide): BetterSqlite3DataSourceOptions {
  return {
    type: 'better-sqlite3',
    // Without it TypeORM would load a package of this name in another version.
    driver: Sqlite,
    database: path,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    synchronize: false,
    logging: false,
    timeout: TIME_BUDGETS_MS.fileLock,
    ...(side === 'reader' && { readonly: true, fileMustExist: true }),
    prepareDatabase: (handle: { pragma(text: string): unknown }) => {
      if (side !== 'reader') handle.pragma('journal_mode = WAL');
      for (const pragma of PRAGMAS) handle.pragma(pragma);
    },
  };
}

/** Creates folder and file, and adds the type `longtext`, which entities need for MySQL; SQLite accepts any type name. */
export function prepareForSqlite(dataSource: DataSource): void {
  const { database, readonly } = dataSource.options as BetterSqlite3DataSourceOptions;
  createFolderOf(database);
  if (readonly !== true) ensurePrivateFile(database);
  const { supportedDataTypes } = dataSource.driver;
  if (!supportedDataTypes.includes('longtext')) supportedDataTypes.push('longtext');
}

const SQL: SqlForms = {
  begin: 'BEGIN IMMEDIATE',
  limitIdleTime: [],
  restoreIdleTime: [],
  // The first read takes the snapshot; BEGIN does not.
  snapshot: ['BEGIN', 'SELECT last_us FROM feed_clock'],
  forUpdate: '',
  forUpdateSkipLocked: '',
  forShare: '',
  clock: 'NULL',
  bytes: (column) => `CAST(${column} AS BLOB)`,
  forceIndex: () => '',
  coveringIndex: (index) => `INDEXED BY ${index}`,
  unionPart: (select) => `SELECT * FROM (${select})`,
  onConflict: (key) => `ON CONFLICT (${key}) DO UPDATE SET`,
  incoming: (column) => `excluded.${column}`,
  truncate: (table) => [`DELETE FROM ${table}`],
};

export class SqliteDialect implements Dialect {
  readonly name = 'SQLite';
  readonly atomicViews = true;
  readonly sql = SQL;
  readonly describeFailure = describeSqliteFailure;
  private lane: SqliteLane | undefined;

  /** @param path of the database's file */
  constructor(private readonly path: string) {}

  async connect(dataSource: DataSource, side: SessionSide): Promise<DriverConnection> {
    const handle = await handleOf(dataSource);
    if (side !== 'lane') return SqliteConnection.of(handle);
    this.lane ??= new SqliteLane(handle);
    return this.lane;
  }

  async advanceClock(session: StatementRunner, candidateUs: number, count: number): Promise<number> {
    const [row] = await session.query<{ last_us: number }>(
      'UPDATE feed_clock SET last_us = MAX(last_us + 1, ?) + ? - 1 WHERE id = 1 RETURNING last_us',
      [BigInt(candidateUs), BigInt(count)],
    );
    return Number(row?.last_us);
  }

  async allocateNumbers(session: StatementRunner, day: string, count: number): Promise<number> {
    const [row] = await session.query<{ last_number: number }>(
      `INSERT INTO asset_sequence (day, last_number) VALUES (?, ?)
       ON CONFLICT (day) DO UPDATE SET last_number = last_number + excluded.last_number RETURNING last_number`,
      [day, BigInt(count)],
    );
    return Number(row?.last_number);
  }

  prepare(): Promise<void> {
    return Promise.resolve();
  }

  async beforeMigrations(): Promise<void> {
    prepareFile(this.path);
  }

  readDurability(): Promise<DurabilitySettings> {
    return Promise.resolve({ needsBarrier: false, strict: true, summary: 'strict', warning: undefined });
  }

  classifyFailure(error: unknown): Failure {
    const code = String(codeOf(error));
    if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'retry';
    return /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY)/.test(code) ? 'refused' : 'defect';
  }

  describeRefusal(error: unknown): string | undefined {
    return describeSqliteRefusal(this.path, error);
  }
}
