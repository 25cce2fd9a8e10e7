import { existsSync, statSync } from 'node:fs';
import Sqlite from 'embedded-sqlite';
import { SyncError } from '../sync-error.js';
import { placeholdersFor } from './columns.js';
import { assertOneName, FileLock } from './file-lock.js';
import { namingFile } from './naming-file.js';
import { lackingColumns, proveOwnershipOfFile } from './ownership.js';
import {
  type FoundColumn,
  LOG_TABLE,
  NAME_OF_COPY,
  type SqlDatabase,
  type SqlTypes,
  type TableNames,
  type Value,
} from './sql-database.js';

/** A row of about 1.5 KB leaves half of the usual page empty. */
const PAGE_BYTES = 8_192;
/** 128 MB before the log goes into the file: the pages of the index of ids are written by nearly every batch. */
const CHECKPOINT_PAGES = 16_384;
const CACHE_KIB = 65_536;
const TYPES: SqlTypes = {
  id: 'TEXT',
  instant: 'TEXT',
  integer: 'INTEGER',
  bytes: 'BLOB',
  long: 'TEXT',
  text: () => 'TEXT',
  end: '',
};
/** Made when the copy is whole: to keep them meanwhile takes as long as all the rest. */
const INDEXES = `
  CREATE UNIQUE INDEX IF NOT EXISTS asset_feed_us ON asset (feed_us);
  CREATE INDEX IF NOT EXISTS asset_asset_id ON asset (asset_id);
  CREATE INDEX IF NOT EXISTS asset_status ON asset (status, feed_us);
  CREATE INDEX IF NOT EXISTS asset_related_lot ON asset (related_lot) WHERE related_lot IS NOT NULL;`;

type Statement = Sqlite.Statement<unknown[], unknown>;

/** An SQLite file. */
export class SqliteDatabase implements SqlDatabase {
  readonly types = TYPES;
  private readonly statements = new Map<string, Statement>();

  /** @param database that this class closes @param lock that it releases */
  constructor(
    readonly shown: string,
    private readonly database: Sqlite.Database,
    private readonly lock?: FileLock,
  ) {}

  /** To write to a copy. @throws SyncError while another runner does */
  static open(path: string): SqliteDatabase {
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
    return new SqliteDatabase(path, database, lock);
  }

  /** To look at a copy; a runner may go on. */
  static openToRead(path: string): SqliteDatabase {
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
    return new SqliteDatabase(path, database);
  }

  async all<T>(sql: string, ...values: Value[]): Promise<T[]> {
    return this.prepare(sql).all(...values) as T[];
  }

  async run(sql: string, ...values: Value[]): Promise<void> {
    this.prepare(sql).run(...values);
  }

  async columns(): Promise<FoundColumn[]> {
    return columnsOf(this.database);
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

  finish({ assets, state }: TableNames, keep: () => Promise<void>): Promise<void> {
    return this.transaction(async () => {
      // Under the names that it has: they are others afterwards.
      await keep();
      if (assets !== NAME_OF_COPY.assets)
        this.database.exec(`
          DROP TABLE IF EXISTS ${NAME_OF_COPY.assets};
          DROP TABLE IF EXISTS ${NAME_OF_COPY.state};
          DROP TABLE IF EXISTS ${LOG_TABLE};
          ALTER TABLE ${assets} RENAME TO ${NAME_OF_COPY.assets};
          ALTER TABLE ${state} RENAME TO ${NAME_OF_COPY.state};`);
      this.database.exec(INDEXES);
    });
  }

  async close(): Promise<void> {
    this.database.close();
    this.lock?.release();
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
