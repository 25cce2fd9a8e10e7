import { existsSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { SyncError } from '../sync-error.js';
import { NAME_OF_COPY, placeholdersFor, type TableNames, type Value } from './columns.js';
import { assertOneName, FileLock } from './file-lock.js';
import { LOG_TABLE } from './log-row.js';
import { namingFile } from './naming-file.js';
import { type FoundColumn, lackingColumns, proveOwnershipOfFile } from './ownership.js';
import { INDEXES, LOG, TABLES } from './sqlite-tables.js';
import type { TableDatabase } from './table-copy.js';

/** A row of about 1.5 KB leaves half of the usual page empty. */
const PAGE_BYTES = 8_192;
/** 128 MB before the log goes into the file: the pages of the index of ids are written by nearly every batch. */
const CHECKPOINT_PAGES = 16_384;
const CACHE_KIB = 65_536;

type Statement = Sqlite.Statement<unknown[], unknown>;

/** The tables of a copy in an SQLite file. */
export class SqliteTables implements TableDatabase {
  private readonly statements = new Map<string, Statement>();

  private constructor(
    readonly shown: string,
    private readonly database: Sqlite.Database,
    private readonly lock: FileLock | undefined,
  ) {}

  /** To write to them. @throws SyncError while another runner does */
  static open(path: string): SqliteTables {
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
    return new SqliteTables(path, database, lock);
  }

  /** To look at them; a runner may go on. */
  static openToRead(path: string): SqliteTables {
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
    return new SqliteTables(path, database, undefined);
  }

  async all<T>(sql: string, ...values: unknown[]): Promise<T[]> {
    return this.prepare(sql).all(...values) as T[];
  }

  async run(sql: string, ...values: unknown[]): Promise<void> {
    this.prepare(sql).run(...values);
  }

  async tableNames(): Promise<string[]> {
    const sql = `SELECT lower(name) FROM sqlite_master WHERE type = 'table'`;
    return this.database.prepare(sql).pluck().all() as string[];
  }

  async replace(table: string, columns: readonly string[], rows: readonly Value[][]): Promise<void> {
    const insert = this.prepare(`REPLACE INTO ${table} (${columns.join(', ')}) VALUES (${placeholdersFor(columns)})`);
    for (const row of rows) insert.run(row);
  }

  async transaction(work: () => Promise<void>): Promise<void> {
    try {
      // Immediate: somebody who holds the file up is waited for here, and not in the middle.
      this.database.exec('BEGIN IMMEDIATE');
      await work();
      this.database.exec('COMMIT');
    } catch (error) {
      if (this.database.inTransaction) this.database.exec('ROLLBACK');
      namingFile(this.shown, 'written', () => {
        throw error;
      });
    }
  }

  begin({ table, state }: TableNames, keep: () => Promise<void>): Promise<void> {
    this.statements.clear();
    return this.transaction(async () => {
      this.drop(table, state, ...(table === NAME_OF_COPY.table ? [LOG_TABLE] : []));
      this.database.exec(TABLES(table, state));
      await keep();
    });
  }

  finish({ table, state }: TableNames, keep: () => Promise<void>): Promise<void> {
    this.statements.clear();
    return this.transaction(async () => {
      // Under the names that it has: they are others afterwards.
      await keep();
      if (table !== NAME_OF_COPY.table) {
        this.drop(NAME_OF_COPY.table, NAME_OF_COPY.state, LOG_TABLE);
        this.database.exec(`
          ALTER TABLE ${table} RENAME TO ${NAME_OF_COPY.table};
          ALTER TABLE ${state} RENAME TO ${NAME_OF_COPY.state};`);
      }
      this.database.exec(INDEXES);
    });
  }

  async createLog(): Promise<void> {
    namingFile(this.shown, 'written', () => this.database.exec(LOG));
  }

  async close(): Promise<void> {
    this.database.close();
    this.lock?.release();
  }

  private drop(...tables: string[]): void {
    for (const table of tables) this.database.exec(`DROP TABLE IF EXISTS ${table}`);
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
