import type { DatabaseError } from 'pg';
import { SyncError } from '../sync-error.js';
import { placeholdersFor } from './columns.js';
import { lockedError } from './file-lock.js';
import { addMissingColumns, proveOwnership } from './ownership.js';
import { PostgresConnection } from './postgres-connection.js';
import {
  type FoundColumn,
  LOG_TABLE,
  COPY_TABLES,
  type SqlDatabase,
  type SqlTypes,
  type TableNames,
  type Value,
} from './sql-database.js';
import { type ServerTarget, shownTarget } from './target.js';

/** Rows per statement: far fewer values than the protocol's limit of 65,535. */
const ROWS = 500;
/** Ids and instants are compared bytewise, independently of the database's collation. */
const TYPES: SqlTypes = {
  id: 'varchar(32) COLLATE "C"',
  instant: 'varchar(40) COLLATE "C"',
  integer: 'bigint',
  bytes: 'bytea',
  long: 'text',
  text: (maxCharacters) => `varchar(${maxCharacters})`,
  end: '',
};
/**
 * Tables are named without a schema, so the search path is reduced to the first one. A polling runner's connection is idle during its pauses; no
 * server before PostgreSQL 14 closes idle connections.
 */
const SETTINGS = [
  `SELECT set_config('search_path', quote_ident(current_schema()), false)`,
  `SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'idle_session_timeout'`,
];
/** The server takes a moment to notice that a runner has died. */
const LOCK = [
  `SET lock_timeout = '2s'`,
  `SELECT pg_advisory_lock(hashtext('registry-sync'), hashtext(current_schema()))`,
  'RESET lock_timeout',
];
const LOCK_NOT_AVAILABLE = '55P03';
const UNIQUE_VIOLATION = '23505';
const DEPENDENT_OBJECTS = '2BP01';
/** From the catalogue, which lists all tables to every user; also indexes and sequences, which share the tables' namespace. */
const COLUMNS = `SELECT c.relname AS "table", COALESCE(a.attname, '') AS "column"
  FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`;

/** A PostgreSQL database over one connection, which also holds the lock. */
export class PostgresDatabase implements SqlDatabase {
  readonly types = TYPES;

  /** @param connection closed by this class */
  private constructor(
    readonly shown: string,
    private readonly connection: PostgresConnection,
  ) {}

  /** Opens it for writing to a copy. @throws SyncError while another runner does */
  static open(target: ServerTarget): Promise<PostgresDatabase> {
    return PostgresDatabase.connect(target, async (database) => {
      await database.lock();
      const found = await database.columns();
      proveOwnership(found, database.shown);
      await addMissingColumns(database, found);
    });
  }

  /** Opens it for reading a copy, also while a runner writes. */
  static openToRead(target: ServerTarget): Promise<PostgresDatabase> {
    return PostgresDatabase.connect(target, async (database) =>
      proveOwnership(await database.columns(), database.shown),
    );
  }

  static async connect(
    target: ServerTarget,
    check: (database: PostgresDatabase) => Promise<void> = () => Promise.resolve(),
  ): Promise<PostgresDatabase> {
    const shown = shownTarget(target);
    const database = new PostgresDatabase(shown, await PostgresConnection.open(target, shown));
    try {
      await database.assertUtf8();
      for (const sql of SETTINGS) await database.run(sql);
      await check(database);
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  all<T>(sql: string, ...values: Value[]): Promise<T[]> {
    return this.connection.query<T>(sql, values);
  }

  async run(sql: string, ...values: Value[]): Promise<void> {
    await this.connection.query(sql, values);
  }

  columns(): Promise<FoundColumn[]> {
    return this.all<FoundColumn>(COLUMNS);
  }

  /** Like `REPLACE` of the other databases, it stores the last of several rows with the same key. */
  async replace(table: string, columns: readonly string[], rows: readonly Value[][]): Promise<void> {
    const last = [...new Map(rows.map((row) => [row[0], row])).values()];
    for (let first = 0; first < last.length; first += ROWS)
      await this.upsert(table, columns, last.slice(first, first + ROWS));
  }

  async transaction(work: () => Promise<void>): Promise<void> {
    try {
      await this.run('BEGIN');
      await work();
      await this.run('COMMIT');
    } catch (error) {
      await this.run('ROLLBACK').catch(() => undefined);
      throw this.described(error as DatabaseError);
    }
  }

  finish({ assets, state }: TableNames, writeState: () => Promise<void>): Promise<void> {
    return this.transaction(async () => {
      for (const sql of indexesOf(assets)) await this.run(sql);
      await writeState();
      if (assets === COPY_TABLES.assets) return;
      // Last, because from here on readers of the old tables wait.
      await this.run(`DROP TABLE IF EXISTS ${COPY_TABLES.assets}, ${COPY_TABLES.state}, ${LOG_TABLE}`);
      await this.run(`ALTER TABLE ${assets} RENAME TO ${COPY_TABLES.assets}`);
      await this.run(`ALTER TABLE ${state} RENAME TO ${COPY_TABLES.state}`);
    });
  }

  close(): Promise<void> {
    return this.connection.end();
  }

  /** Locks the copy while the connection lasts. @throws SyncError while another runner has locked it */
  private async lock(): Promise<void> {
    try {
      for (const sql of LOCK) await this.run(sql);
    } catch (error) {
      throw (error as DatabaseError).code === LOCK_NOT_AVAILABLE ? lockedError(this.shown, error) : error;
    }
  }

  private async assertUtf8(): Promise<void> {
    const [row] = await this.all<{ encoding: string }>(`SELECT current_setting('server_encoding') AS encoding`);
    if (row?.encoding === 'UTF8') return;
    throw new SyncError(`${this.shown} has the encoding ${row?.encoding}: a copy needs UTF8`);
  }

  private async upsert(table: string, columns: readonly string[], rows: readonly Value[][]): Promise<void> {
    const [key, ...others] = columns;
    const tuples = rows.map((row) => `(${placeholdersFor(row)})`).join(', ');
    const changes = others.map((column) => `${column} = EXCLUDED.${column}`).join(', ');
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${tuples} ON CONFLICT (${key}) DO UPDATE SET ${changes}`;
    await this.run('SAVEPOINT rows');
    try {
      await this.run(sql, ...rows.flat());
    } catch (error) {
      if ((error as DatabaseError).code !== UNIQUE_VIOLATION) throw error;
      await this.run('ROLLBACK TO rows');
      await this.deleteAt(
        table,
        rows.map((row) => row[columns.indexOf('feed_us')] as Value),
      );
      await this.run(sql, ...rows.flat());
    }
    await this.run('RELEASE rows');
  }

  /** Removes rows with the same instants and other ids, because such rows are damaged. */
  private async deleteAt(table: string, instants: readonly Value[]): Promise<void> {
    await this.run(`DELETE FROM ${table} WHERE feed_us IN (${placeholdersFor(instants)})`, ...instants);
  }

  private described(error: DatabaseError): Error {
    if (error.code !== DEPENDENT_OBJECTS) return error;
    const what = `${this.shown}: ${error.message} (${error.detail})`;
    return new SyncError(`${what}. Drop these objects, such as your own views, and repeat the command: it continues`);
  }
}

/** Created when the copy is complete. The server chooses their names, because index names are unique in a schema and are not renamed with the table. */
function indexesOf(table: string): string[] {
  return [
    `CREATE UNIQUE INDEX ON ${table} (feed_us)`,
    `CREATE INDEX ON ${table} (asset_id)`,
    `CREATE INDEX ON ${table} (status, feed_us)`,
    `CREATE INDEX ON ${table} (related_lot)`,
  ];
}
