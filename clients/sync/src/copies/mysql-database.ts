import type { Connection, RowDataPacket } from 'mysql2/promise';
import { SyncError } from '../sync-error.js';
import { NAME_OF_COPY, NAME_REPLACED, type TableNames, type Value } from './columns.js';
import { LOG_TABLE } from './log-row.js';
import { connect, namingIfLost } from './mysql-connection.js';
import { lock } from './mysql-lock.js';
import { COLUMNS, INDEXES, LOG, OLD, TABLES } from './mysql-tables.js';
import { type FoundColumn, lackingColumns, proveOwnership, proveReplaced } from './ownership.js';
import type { TableDatabase } from './table-copy.js';
import { type ServerTarget, shownTarget } from './target.js';

/** Of one statement that writes rows; one of a large row has no other. */
const ROWS = 100;
const MAX_CHARACTERS = 1_000_000;
/** A runner that polls asks its database for nothing while it pauses. */
const IDLE_SECONDS = 7 * 24 * 3_600;

/** The tables of a copy in a MySQL or MariaDB database, over one connection: with it goes the lock. */
export class MysqlTables implements TableDatabase {
  /** @param connection that this class ends */
  constructor(
    readonly shown: string,
    private readonly connection: Connection,
  ) {}

  /** To write to them. @throws SyncError while another runner does */
  static open(target: ServerTarget): Promise<MysqlTables> {
    return MysqlTables.opened(target, async ({ connection, shown }, tables) => {
      await lock(connection, shown);
      const found = await tables.columns();
      proveOwnership(found, shown);
      proveReplaced(found, shown);
      for (const { table, column } of lackingColumns(found))
        await connection.query(`ALTER TABLE ${table} ADD COLUMN ${column} VARCHAR(16)`);
      // What a swap left behind that did not come to its end.
      await connection.query(OLD);
    });
  }

  /** To look at them; a runner may go on. */
  static openToRead(target: ServerTarget): Promise<MysqlTables> {
    return MysqlTables.opened(target, async ({ shown }, tables) => proveOwnership(await tables.columns(), shown));
  }

  private static async opened(
    target: ServerTarget,
    prove: (on: { connection: Connection; shown: string }, tables: MysqlTables) => Promise<void>,
  ): Promise<MysqlTables> {
    const shown = shownTarget(target);
    const connection = await connect(target);
    const tables = new MysqlTables(shown, connection);
    try {
      await tables.setUp();
      await prove({ connection, shown }, tables);
      return tables;
    } catch (error) {
      await tables.close();
      throw error;
    }
  }

  private async setUp(): Promise<void> {
    try {
      const settings = `SET SESSION wait_timeout = ${IDLE_SECONDS}, SESSION sql_mode = 'STRICT_ALL_TABLES'`;
      await this.connection.query(settings);
    } catch (error) {
      throw new SyncError(`${this.shown} cannot be used: ${(error as Error).message}`, undefined, { cause: error });
    }
  }

  private columns(): Promise<FoundColumn[]> {
    return this.all<FoundColumn>(COLUMNS);
  }

  async all<T>(sql: string, ...values: unknown[]): Promise<T[]> {
    const [rows] = await this.connection.query<RowDataPacket[]>(sql, values).catch(namingIfLost(this.shown));
    return rows as T[];
  }

  async run(sql: string, ...values: unknown[]): Promise<void> {
    await this.connection.query(sql, values);
  }

  async tableNames(): Promise<string[]> {
    const sql = 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()';
    return (await this.all<{ name: string }>(sql)).map(({ name }) => name);
  }

  /** Replaced is also what stands at the same instant under another id, which can only be damaged. */
  async replace(table: string, columns: readonly string[], rows: readonly Value[][]): Promise<void> {
    for (let first = 0; first < rows.length;) {
      let [end, characters] = [first, 0];
      while (end < rows.length && end - first < ROWS && characters < MAX_CHARACTERS)
        characters += charactersOf(rows[end++] as Value[]);
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

  async begin({ table, state }: TableNames, keep: () => Promise<void>): Promise<void> {
    await this.connection.query(`DROP TABLE IF EXISTS ${table}, ${state}`);
    if (table === NAME_OF_COPY.table) await this.dropLog();
    // The state's comes first: a table of assets without one is taken for somebody else's.
    for (const sql of TABLES(table, state).toReversed()) await this.connection.query(sql);
    await this.transaction(keep);
  }

  async finish({ table, state }: TableNames, keep: () => Promise<void>): Promise<void> {
    const indexes = await this.all(`SHOW INDEX FROM ${table} WHERE Key_name = 'asset_feed_us'`);
    if (indexes.length === 0) await this.connection.query(`ALTER TABLE ${table} ${INDEXES}`);
    await this.transaction(keep);
    if (table === NAME_OF_COPY.table) return;
    await this.swap(table, state);
    await this.dropLog();
  }

  async createLog(): Promise<void> {
    await this.connection.query(LOG);
  }

  async close(): Promise<void> {
    await this.connection.end().catch(() => this.connection.destroy());
  }

  /** In one statement, so that readers see the old copy or the new one. */
  private async swap(table: string, state: string): Promise<void> {
    const isThere = (await this.tableNames()).includes(NAME_OF_COPY.state);
    const away = isThere ? `asset TO ${NAME_REPLACED.table}, sync_state TO ${NAME_REPLACED.state}, ` : '';
    await this.connection.query(`RENAME TABLE ${away}${table} TO asset, ${state} TO sync_state`);
    await this.connection.query(OLD);
  }

  private async dropLog(): Promise<void> {
    await this.connection.query(`DROP TABLE IF EXISTS ${LOG_TABLE}`);
  }
}

/** Of all texts: where much was erased, what opens an entry is longer than what is left of the state. */
function charactersOf(row: readonly Value[]): number {
  return row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}
