import { existsSync, statSync } from 'node:fs';
import Sqlite from 'embedded-sqlite';
import { SyncError } from '../sync-error.js';
import { placeholdersFor } from './columns.js';
import { assertOneName, FileLock } from './file-lock.js';
import { namingFile } from './naming-file.js';
import { missingColumns, proveOwnershipOfFile } from './ownership.js';
import {
  type FoundColumn,
  LOG_TABLE,
  COPY_TABLES,
  type SqlDatabase,
  type SqlTypes,
  type TableNames,
  type Value,
} from './sql-database.js';

/** Twice the default, because rows of about 1.5 KB would leave half of a default page empty. */
const PAGE_BYTES = 8_192;
/** Checkpoint at 128 MB of WAL, because nearly every batch rewrites the same pages of the index of ids. */
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
/** Created when the copy is complete, because maintaining them while copying would double the time. */
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

  /** @param database closed by this class @param lock released by this class */
  constructor(
    readonly shown: string,
    private readonly database: Sqlite.Database,
    private readonly lock?: FileLock,
  ) {}

  /** Opens it for writing to a copy. @throws SyncError while another runner does */
  static open(path: string): SqliteDatabase {
    const lock = FileLock.acquire(path);
    const database = new Sqlite(path);
    try {
      proveOwnershipOfFile(columnsOf(database), path);
      for (const { table, column } of missingColumns(columnsOf(database)))
        database.exec(`ALTER TABLE ${table} ADD COLUMN ${column} TEXT`);
    } catch (error) {
      database.close();
      lock.release();
      throw error;
    }
    database.pragma(`page_size = ${PAGE_BYTES}`);
    database.pragma('journal_mode = WAL');
    // A power failure may undo the last transactions, but always with the position, so that they are copied again.
    database.pragma('synchronous = NORMAL');
    database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    database.pragma(`cache_size = -${CACHE_KIB}`);
    // Fields erased in the registry are overwritten in the file, not only deleted from its rows.
    database.pragma('secure_delete = ON');
    return new SqliteDatabase(path, database, lock);
  }

  /** Opens it for reading a copy, also while a runner writes. */
  static openToRead(path: string): SqliteDatabase {
    if (!existsSync(path)) throw new SyncError(`There is no file ${path}`);
    recoverJournal(path);
    // The newest writes may be in a WAL, whose name derives from the name under which the file is written.
    if (!isNotEmpty(`${path}-wal`)) assertOneName(path);
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
      // IMMEDIATE, so that it waits here for another writer instead of failing at a later statement.
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

  finish({ assets, state }: TableNames, writeState: () => Promise<void>): Promise<void> {
    return this.transaction(async () => {
      // Before the tables are renamed.
      await writeState();
      if (assets !== COPY_TABLES.assets)
        this.database.exec(`
          DROP TABLE IF EXISTS ${COPY_TABLES.assets};
          DROP TABLE IF EXISTS ${COPY_TABLES.state};
          DROP TABLE IF EXISTS ${LOG_TABLE};
          ALTER TABLE ${assets} RENAME TO ${COPY_TABLES.assets};
          ALTER TABLE ${state} RENAME TO ${COPY_TABLES.state};`);
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

/** Rolls back the journal of a run that was killed while it created its file. Until then SQLite refuses read-only connections. */
function recoverJournal(path: string): void {
  if (!existsSync(`${path}-journal`)) return;
  const database = new Sqlite(path);
  try {
    columnsOf(database);
  } finally {
    database.close();
  }
}

function isNotEmpty(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** In lower case, because to SQLite a table `Asset` is `asset`. */
function columnsOf(database: Sqlite.Database): FoundColumn[] {
  const sql = `SELECT lower(found.name) AS "table", lower(info.name) AS "column" FROM sqlite_master found, pragma_table_info(found.name) info`;
  return database.prepare(sql).all() as FoundColumn[];
}
