import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DataSource } from 'typeorm';
import type { BetterSqlite3DataSourceOptions } from 'typeorm/driver/better-sqlite3/BetterSqlite3DataSourceOptions.js';
import { TIME_BUDGETS_MS } from '../../../config/time-budgets.js';
import { ENTITIES } from '../../entities/entities.js';
import { MIGRATIONS } from '../../migrations/migrations.js';
import { makePrivate } from '../../private-file.js';
import type { StatementRunner } from '../statement-runner.js';
import {
  type DatabaseSide,
  type Dialect,
  type DriverConnection,
  type DurabilitySettings,
  type Failure,
  type FreeDisk,
  type SessionSide,
} from '../dialect.js';
import { codeOf } from '../error-code.js';
import { DatabaseFile } from './database-file.js';
import { placeOf } from './file-place.js';
import { prepareFile } from './registry-file.js';
import { handleOf, SqliteConnection } from './sqlite-connection.js';
import { SqliteLane } from './sqlite-lane.js';
import { makeFolderOf, sqliteRefusalOf, sqliteTroubleOf } from './sqlite-troubles.js';

/** Visible means durable: in WAL SQLite syncs before it shows a commit. */
const PRAGMAS = ['synchronous = FULL', 'foreign_keys = ON', 'trusted_schema = OFF'];
/** Rows of one INSERT: few sizes, because each is a text of its own and few texts are kept prepared. */
const ROWS_AT_ONCE = [32, 8, 1];

export function sqliteOptions(path: string, side: DatabaseSide): BetterSqlite3DataSourceOptions {
  return {
    type: 'better-sqlite3',
    database: path,
    entities: ENTITIES,
    migrations: MIGRATIONS,
    synchronize: false,
    logging: false,
    timeout: TIME_BUDGETS_MS.lockOfFile,
    ...(side === 'reader' && { readonly: true, fileMustExist: true }),
    prepareDatabase: (handle: { pragma(text: string): unknown }) => {
      if (side !== 'reader') handle.pragma('journal_mode = WAL');
      for (const pragma of PRAGMAS) handle.pragma(pragma);
    },
  };
}

/** The folder, the file, and a type: SQLite takes any type name, and with this one the entities can say what MySQL needs for a large body. */
export function makeReadyForSqlite(dataSource: DataSource): void {
  const { database, readonly } = dataSource.options as BetterSqlite3DataSourceOptions;
  makeFolderOf(database);
  if (readonly !== true) makePrivate(database);
  const { supportedDataTypes } = dataSource.driver;
  if (!supportedDataTypes.includes('longtext')) supportedDataTypes.push('longtext');
}

export class SqliteDialect implements Dialect {
  readonly name = 'SQLite';
  readonly migratesAtStart = true;
  readonly atomicViews = true;
  readonly beginSql = ['BEGIN IMMEDIATE'];
  readonly holdingSql = [];
  readonly restingSql = [];
  readonly laneSql = [];
  readonly forUpdateSql = '';
  readonly forUpdateOfFreeSql = '';
  readonly readPointSql = 'SELECT last_us FROM feed_clock WHERE id = 1';
  readonly clockSql = 'NULL';
  // The first read takes the snapshot, not BEGIN.
  readonly snapshotSql = ['BEGIN', 'SELECT last_us FROM feed_clock'];

  readonly addBytesSql = `ON CONFLICT (account) DO UPDATE SET
    bytes = CASE WHEN day < excluded.day THEN 0 ELSE bytes END + excluded.bytes, day = MAX(day, excluded.day)`;

  readonly mostStatementBytes = Infinity;
  private lane: SqliteLane | undefined;

  emptySql(table: string): string[] {
    return [`DELETE FROM ${table}`];
  }

  /** Path of the database's file. */
  private readonly path: string;

  /**
   * @param givenPath of the database's file, or of a link to it
   * @param fileSystem of a path, in blocks
   */
  constructor(
    private readonly givenPath: string,
    private readonly fileSystem: (path: string) => Promise<Record<'bavail' | 'blocks' | 'bsize', number>> = statfs,
  ) {
    this.path = placeOf(givenPath);
  }

  async connect(dataSource: DataSource, side: SessionSide): Promise<DriverConnection> {
    if (side !== 'lane') return SqliteConnection.of(dataSource);
    this.lane ??= new SqliteLane(handleOf(dataSource));
    return this.lane;
  }

  insertSizes(rows: number): number[] {
    let left = rows;
    return ROWS_AT_ONCE.flatMap((size) => {
      const count = Math.floor(left / size);
      left -= count * size;
      return Array.from({ length: count }, () => size);
    });
  }

  byIndexSql(): string {
    return '';
  }

  besideBodySql(index: string): string {
    return `INDEXED BY ${index}`;
  }

  bytesSql(column: string): string {
    return `CAST(${column} AS BLOB)`;
  }

  limitedPartSql(select: string): string {
    return `SELECT * FROM (${select})`;
  }

  overwriteSql(columns: readonly string[]): string {
    return `ON CONFLICT (id) DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`;
  }

  async advanceClock(session: StatementRunner, candidateUs: number, count: number): Promise<number> {
    const [row] = await session.query<{ last_us: number }>(
      'UPDATE feed_clock SET last_us = MAX(last_us + 1, ?) + ? - 1 WHERE id = 1 RETURNING last_us',
      [BigInt(candidateUs), BigInt(count)],
    );
    return Number(row?.last_us);
  }

  async takeNumbers(session: StatementRunner, day: string, count: number): Promise<number> {
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

  readDurability(): Promise<DurabilitySettings> {
    return Promise.resolve({ needsBarrier: false, strict: true, told: 'strict', warning: undefined });
  }

  fileOf(dataSource: DataSource): DatabaseFile {
    return new DatabaseFile(handleOf(dataSource), this.givenPath);
  }

  async freeDisk(): Promise<FreeDisk> {
    const { bavail, blocks, bsize } = await this.fileSystem(dirname(this.path));
    return { bytes: bavail * bsize, share: bavail / blocks };
  }

  beforeMigrations(): Promise<void> {
    prepareFile(this.path);
    return Promise.resolve();
  }

  connections(): undefined {
    return undefined;
  }

  isServerReadOnly(): boolean {
    return false;
  }

  failureOf(error: unknown): Failure {
    const code = String(codeOf(error));
    if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return 'retry';
    return /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY)/.test(code) ? 'refused' : 'defect';
  }

  refusalOf(error: unknown): string | undefined {
    return sqliteRefusalOf(this.path, error);
  }

  troubleOf(error: unknown): string {
    return sqliteTroubleOf(error);
  }
}
