import { existsSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { type AssetRow, type Entry, entryOf } from '../asset-row.js';
import { SyncError } from '../sync-error.js';
import {
  ASSET_COLUMNS,
  NAME_BESIDE,
  NAME_OF_COPY,
  placesFor,
  rowOf,
  STATE_COLUMNS,
  stateOf,
  stateValuesOf,
  valuesOf,
} from './columns.js';
import { checkVersion, type Content, type Copy, type CopyState, type Range } from './copy.js';
import { assertOneName, FileLock } from './file-lock.js';
import type { LogRow } from './log-row.js';
import { namingFile } from './naming-file.js';
import { type FoundColumn, lackingColumns, proveOwnershipOfFile } from './ownership.js';
import { SqliteLog } from './sqlite-log.js';
import { INDEXES, TABLES } from './sqlite-tables.js';

/** Of one statement that reads entries. */
const ENTRIES = 10_000;
/** A row of about 1.5 KB leaves half of the usual page empty. */
const PAGE_BYTES = 8_192;
/** 128 MB before the log goes into the file: the pages of the index of ids are written by nearly every batch. */
const CHECKPOINT_PAGES = 16_384;
const CACHE_KIB = 65_536;

type Statement = Sqlite.Statement<unknown[], unknown>;

/** A copy in an SQLite file. */
export class SqliteCopy implements Copy {
  private names: { table: string; state: string };
  private readonly statements = new Map<string, Statement>();
  private readonly log: SqliteLog;

  private constructor(
    private readonly path: string,
    private readonly database: Sqlite.Database,
    beside: boolean,
    private readonly lock: FileLock | undefined,
  ) {
    this.names = beside ? NAME_BESIDE : NAME_OF_COPY;
    this.log = new SqliteLog(database);
  }

  /** To write to it. @throws SyncError while another runner does */
  static open(path: string, beside: boolean): SqliteCopy {
    const lock = FileLock.take(path);
    const database = new Sqlite(path);
    try {
      proveOwnershipOfFile(columnsOf(database), path);
      for (const { table, column } of lackingColumns(columnsOf(database)))
        database.exec(`ALTER TABLE ${table} ADD COLUMN ${column} TEXT`);
    } catch (error) {
      database.close();
      lock.release();
      throw error;
    }
    database.pragma(`page_size = ${PAGE_BYTES}`);
    database.pragma('journal_mode = WAL');
    // A loss of power may take the last transactions back, always together with the position.
    database.pragma('synchronous = NORMAL');
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    database.pragma(`cache_size = -${CACHE_KIB}`);
    // What was erased in the registry goes from the file, too, and not only from its rows.
    database.pragma('secure_delete = ON');
    return new SqliteCopy(path, database, beside, lock);
  }

  /** To look at it; a runner may go on. */
  static openToRead(path: string, beside: boolean): SqliteCopy {
    if (!existsSync(path)) throw new SyncError(`There is no file ${path}`);
    takeBackBrokenOff(path);
    // What a runner has just written stands in SQLite's log, which has the name by which it opened the file.
    if (!isFilled(`${path}-wal`)) assertOneName(path);
    const database = new Sqlite(path, { readonly: true });
    try {
      proveOwnershipOfFile(columnsOf(database), path);
    } catch (error) {
      database.close();
      throw error;
    }
    return new SqliteCopy(path, database, beside, undefined);
  }

  async readState(): Promise<CopyState | undefined> {
    const there = this.all<{ name: string }>(`SELECT lower(name) AS name FROM sqlite_master WHERE type = 'table'`).map(
      ({ name }) => name,
    );
    if (!there.includes(this.names.state)) {
      if (there.includes(this.names.table))
        throw new SyncError(`${this.path} holds a table "asset" that is not of a copy`);
      return undefined;
    }
    const [stored] = this.all<Parameters<typeof stateOf>[0]>(`SELECT * FROM ${this.names.state}`);
    if (stored === undefined) throw new SyncError(`${this.path} is damaged: its table "sync_state" is empty`);
    const state = stateOf(stored);
    checkVersion(state, this.path);
    return state;
  }

  async begin(state: CopyState): Promise<void> {
    const { table, state: stateTable } = this.names;
    this.statements.clear();
    this.inTransaction(() => {
      this.database.exec(
        `DROP TABLE IF EXISTS ${table}; DROP TABLE IF EXISTS ${stateTable};${TABLES(table, stateTable)}`,
      );
      if (table === NAME_OF_COPY.table) this.log.drop();
      this.keep(state);
    });
  }

  async write(rows: readonly AssetRow[], state: CopyState): Promise<void> {
    const insert = this.prepare(
      `REPLACE INTO ${this.names.table} (${ASSET_COLUMNS.join(', ')}) VALUES (${placesFor(ASSET_COLUMNS)})`,
    );
    this.inTransaction(() => {
      for (const row of rows) insert.run(valuesOf(row));
      this.keep(state);
    });
  }

  async remove(ids: readonly string[], state: CopyState): Promise<void> {
    this.inTransaction(() => {
      for (const id of ids) this.prepare(`DELETE FROM ${this.names.table} WHERE id = ?`).run(id);
      this.keep(state);
    });
  }

  async finish(state: CopyState): Promise<void> {
    const { table, state: stateTable } = this.names;
    this.statements.clear();
    this.inTransaction(() => {
      if (table !== NAME_OF_COPY.table) {
        this.database.exec(`
          DROP TABLE IF EXISTS asset; ALTER TABLE ${table} RENAME TO asset;
          DROP TABLE IF EXISTS sync_state; ALTER TABLE ${stateTable} RENAME TO sync_state;`);
        this.log.drop();
      }
      this.names = NAME_OF_COPY;
      this.database.exec(INDEXES);
      this.keep(state);
    });
  }

  async count(): Promise<number> {
    return this.all<{ count: number }>(`SELECT COUNT(*) AS count FROM ${this.names.table}`)[0]?.count ?? 0;
  }

  async *entries({ afterUs, upToUs }: Range): AsyncGenerator<Entry[]> {
    const sql = `SELECT id, date_modified AS dateModified, feed_us AS feedUs FROM ${this.names.table}
      WHERE feed_us > ? AND feed_us <= ? ORDER BY feed_us LIMIT ${ENTRIES}`;
    for (let lastUs = afterUs; ;) {
      const entries = this.all<Entry>(sql, lastUs, upToUs);
      if (entries.length > 0) yield entries;
      if (entries.length < ENTRIES) return;
      lastUs = (entries.at(-1) as Entry).feedUs;
    }
  }

  contentOf(row: AssetRow): string {
    return JSON.stringify(valuesOf(row));
  }

  async contents({ afterUs, upToUs }: Range): Promise<Content[]> {
    const sql = `SELECT ${ASSET_COLUMNS.join(', ')} FROM ${this.names.table} WHERE feed_us > ? AND feed_us <= ? ORDER BY feed_us`;
    const rows = this.all<Parameters<typeof rowOf>[0]>(sql, afterUs, upToUs);
    return rows
      .map(rowOf)
      .map((row) => ({ ...entryOf(row), content: () => this.contentOf(row), document: row.document }));
  }

  async findEntry(id: string): Promise<Entry | undefined> {
    const sql = `SELECT id, date_modified AS dateModified, feed_us AS feedUs FROM ${this.names.table} WHERE id = ?`;
    return this.all<Entry>(sql, id)[0];
  }

  async placesOf(ids: readonly string[]): Promise<Map<string, number>> {
    const sql = `SELECT id, feed_us AS feedUs FROM ${this.names.table} WHERE id IN (SELECT value FROM json_each(?))`;
    return new Map(this.all<Entry>(sql, JSON.stringify(ids)).map(({ id, feedUs }) => [id, feedUs]));
  }

  async writeLog(rows: readonly LogRow[], state: CopyState): Promise<void> {
    this.inTransaction(() => {
      this.log.write(rows);
      this.keep(state);
    });
  }

  async logRows(from: number, upTo: number): Promise<LogRow[]> {
    return this.log.rows(from, upTo);
  }

  async logPlaces(id: string): Promise<number[]> {
    return this.log.places(id);
  }

  async feedUsAt({ afterUs, upToUs }: Range, number: number): Promise<number | undefined> {
    const sql = `SELECT feed_us AS feedUs FROM ${this.names.table}
      WHERE feed_us > ? AND feed_us <= ? ORDER BY feed_us LIMIT 1 OFFSET ?`;
    return this.all<{ feedUs: number }>(sql, afterUs, upToUs, number)[0]?.feedUs;
  }

  async close(): Promise<void> {
    this.database.close();
    this.lock?.release();
  }

  private keep(state: CopyState): void {
    this.prepare(`DELETE FROM ${this.names.state}`).run();
    this.prepare(
      `INSERT INTO ${this.names.state} (${STATE_COLUMNS.join(', ')}) VALUES (${placesFor(STATE_COLUMNS)})`,
    ).run(stateValuesOf(state));
  }

  private inTransaction(work: () => void): void {
    // Immediate: somebody who holds the file up is waited for here, and not in the middle.
    namingFile(this.path, 'written', () => this.database.transaction(work).immediate());
  }

  private all<T>(sql: string, ...values: unknown[]): T[] {
    return this.prepare(sql).all(...values) as T[];
  }

  private prepare(sql: string): Statement {
    let statement = this.statements.get(sql);
    if (statement === undefined) this.statements.set(sql, (statement = this.database.prepare(sql)));
    return statement;
  }
}

/** A runner that is killed while it makes its file leaves a journal behind, and whoever opens the file to read only is refused until it is played back. */
function takeBackBrokenOff(path: string): void {
  if (!existsSync(`${path}-journal`)) return;
  const database = new Sqlite(path);
  try {
    columnsOf(database);
  } finally {
    database.close();
  }
}

function isFilled(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** In small letters: to SQLite a table `Asset` is `asset`. */
function columnsOf(database: Sqlite.Database): FoundColumn[] {
  const sql = `SELECT lower(found.name) AS "table", lower(info.name) AS "column" FROM sqlite_master found, pragma_table_info(found.name) info`;
  return database.prepare(sql).all() as FoundColumn[];
}
