import type { Connection, RowDataPacket } from 'mysql2/promise';
import { SyncError } from '../sync-error.js';
import { lockedError } from './file-lock.js';
import { connect, namingIfLost } from './mysql-connection.js';
import { addMissingColumns, proveOwnership, proveReplaced } from './ownership.js';
import {
  type FoundColumn,
  LOG_TABLE,
  COPY_TABLES,
  REPLACED_TABLES,
  type SqlDatabase,
  type SqlTypes,
  type TableNames,
  type Value,
} from './sql-database.js';
import { type ServerTarget, shownTarget } from './target.js';

/** Maximum rows and characters per statement; a single larger row gets its own statement. */
const ROWS = 100;
const MAX_LENGTH = 1_000_000;
/** A polling runner's connection is idle during its pauses. */
const IDLE_SECONDS = 7 * 24 * 3_600;
const SETTINGS = `SET SESSION wait_timeout = ${IDLE_SECONDS}, SESSION sql_mode = 'STRICT_ALL_TABLES'`;
const TYPES: SqlTypes = {
  id: 'CHAR(32) CHARACTER SET ascii COLLATE ascii_bin',
  instant: 'VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin',
  integer: 'BIGINT',
  bytes: 'LONGBLOB',
  long: 'LONGTEXT',
  text: (maxCharacters) => `VARCHAR(${maxCharacters})`,
  end: ' ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
};
/** The server takes a moment to notice that a runner has died. */
const LOCK_SECONDS = 2;
/** Named after DATABASE(), because the server may accept several spellings of the name. */
const LOCK = `SELECT GET_LOCK(CONCAT('registry-sync ', LEFT(SHA2(DATABASE(), 256), 32)), ?) AS acquired`;
/** Created when the copy is complete, because sorting once is faster than inserting each row into the indexes. */
const INDEXES = `ADD UNIQUE KEY asset_feed_us (feed_us), ADD KEY asset_asset_id (asset_id),
  ADD KEY asset_status (status, feed_us), ADD KEY asset_related_lot (related_lot)`;
/**
 * A server lists a table to users who may drop it, but its columns only to users who may read them. A table without columns is refused as
 * foreign.
 */
const COLUMNS = `SELECT t.table_name AS \`table\`, COALESCE(c.column_name, '') AS \`column\`
  FROM information_schema.tables t
    LEFT JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
  WHERE t.table_schema = DATABASE()`;
const DROP_REPLACED = `DROP TABLE IF EXISTS ${REPLACED_TABLES.assets}, ${REPLACED_TABLES.state}`;

/** A MySQL or MariaDB database over one connection, which also holds the lock. */
export class MysqlDatabase implements SqlDatabase {
  readonly types = TYPES;

  /** @param connection closed by this class */
  constructor(
    readonly shown: string,
    private readonly connection: Connection,
  ) {}

  /** Opens it for writing to a copy. @throws SyncError while another runner does */
  static open(target: ServerTarget): Promise<MysqlDatabase> {
    return MysqlDatabase.connect(target, async (database) => {
      await database.lock();
      const found = await database.columns();
      proveOwnership(found, database.shown);
      proveReplaced(found, database.shown);
      await addMissingColumns(database, found);
      // Left by an interrupted swap.
      await database.run(DROP_REPLACED);
    });
  }

  /** Opens it for reading a copy, also while a runner writes. */
  static openToRead(target: ServerTarget): Promise<MysqlDatabase> {
    return MysqlDatabase.connect(target, async (database) => proveOwnership(await database.columns(), database.shown));
  }

  /** @param check throws if the database must not be used */
  static async connect(
    target: ServerTarget,
    check: (database: MysqlDatabase) => Promise<void> = () => Promise.resolve(),
  ): Promise<MysqlDatabase> {
    const connection = await connect(target);
    const database = new MysqlDatabase(shownTarget(target), connection);
    try {
      await connection.query(SETTINGS).catch((error: Error) => {
        throw new SyncError(`${database.shown} cannot be used: ${error.message}`, undefined, { cause: error });
      });
      await check(database);
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** Locks the copy while the connection lasts. @throws SyncError while another runner has locked it */
  async lock(): Promise<void> {
    const [row] = await this.all<{ acquired: number | null }>(LOCK, LOCK_SECONDS);
    if (row?.acquired !== 1) throw lockedError(this.shown);
  }

  async all<T>(sql: string, ...values: Value[]): Promise<T[]> {
    const [rows] = await this.connection.query<RowDataPacket[]>(sql, values).catch(namingIfLost(this.shown));
    return rows as T[];
  }

  async run(sql: string, ...values: Value[]): Promise<void> {
    await this.connection.query(sql, values);
  }

  columns(): Promise<FoundColumn[]> {
    return this.all<FoundColumn>(COLUMNS);
  }

  /** Also replaces a row that has the same instant and another id, because such a row is damaged. */
  async replace(table: string, columns: readonly string[], rows: readonly Value[][]): Promise<void> {
    for (let first = 0; first < rows.length;) {
      let [end, length] = [first, 0];
      while (end < rows.length && end - first < ROWS && length < MAX_LENGTH) length += lengthOf(rows[end++] as Value[]);
      const some = rows.slice(first, end);
      await this.connection.query(`REPLACE INTO ${table} (${columns.join(', ')}) VALUES ?`, [some]);
      first = end;
    }
  }

  async transaction(work: () => Promise<void>): Promise<void> {
    try {
      await this.connection.beginTransaction();
      await work();
      await this.connection.commit();
    } catch (error) {
      await this.connection.rollback().catch(() => undefined);
      namingIfLost(this.shown)(error);
    }
  }

  async finish({ assets, state }: TableNames, writeState: () => Promise<void>): Promise<void> {
    const indexes = await this.all(`SHOW INDEX FROM ${assets} WHERE Key_name = 'asset_feed_us'`);
    if (indexes.length === 0) await this.run(`ALTER TABLE ${assets} ${INDEXES}`);
    await this.transaction(writeState);
    if (assets === COPY_TABLES.assets) return;
    // In one statement, so that readers see either the old copy or the new one.
    const hasOld = (await this.columns()).some((one) => one.table === COPY_TABLES.state);
    const renameOld = hasOld ? `asset TO ${REPLACED_TABLES.assets}, sync_state TO ${REPLACED_TABLES.state}, ` : '';
    await this.run(`RENAME TABLE ${renameOld}${assets} TO asset, ${state} TO sync_state`);
    await this.run(DROP_REPLACED);
    await this.run(`DROP TABLE IF EXISTS ${LOG_TABLE}`);
  }

  async close(): Promise<void> {
    await this.connection.end().catch(() => this.connection.destroy());
  }
}

/** Length of all texts and bytes. Not only of the documents: after an erasure the opening of an entry can be longer. */
function lengthOf(row: readonly Value[]): number {
  return row.reduce<number>((sum, value) => sum + (value === null || typeof value === 'number' ? 0 : value.length), 0);
}
