import type { Connection, RowDataPacket } from 'mysql2/promise';
import { type AssetRow, type Entry, entryOf } from '../asset-row.js';
import { SyncError } from '../sync-error.js';
import {
  ASSET_COLUMNS,
  NAME_BESIDE,
  NAME_OF_COPY,
  NAME_REPLACED,
  placesFor,
  rowOf,
  STATE_COLUMNS,
  stateOf,
  stateValuesOf,
  valuesOf,
} from './columns.js';
import { checkVersion, type Content, type Copy, type CopyState, type Range } from './copy.js';
import type { LogRow } from './log-row.js';
import { type FoundColumn, lackingColumns, proveOwnership, proveReplaced } from './ownership.js';
import { connect, namingIfLost } from './mysql-connection.js';
import { lock } from './mysql-lock.js';
import { MysqlLog } from './mysql-log.js';
import { COLUMNS, INDEXES, OLD, TABLES } from './mysql-tables.js';
import { type ServerTarget, shownTarget } from './target.js';

/** Rows of one statement; few sizes, as each is prepared by itself. A statement of large documents has one. */
const SIZES = [100, 10, 1] as const;
const MOST_CHARACTERS = 1_000_000;
/** Of one statement that reads entries. */
const ENTRIES = 10_000;
const IDS = 1_000;
/** A runner that polls asks its database for nothing while it pauses. */
const IDLE_SECONDS = 7 * 24 * 3_600;

/** A copy in a MySQL or MariaDB database, over one connection: with it goes the lock. */
export class MysqlCopy implements Copy {
  private names: { table: string; state: string };
  private readonly log: MysqlLog;

  private constructor(
    private readonly shown: string,
    private readonly connection: Connection,
    beside: boolean,
  ) {
    this.names = beside ? NAME_BESIDE : NAME_OF_COPY;
    this.log = new MysqlLog(connection);
  }

  /** To write to it. @throws SyncError while another runner does */
  static async open(target: ServerTarget, beside: boolean): Promise<MysqlCopy> {
    const copy = await MysqlCopy.connect(target, beside);
    try {
      await lock(copy.connection, copy.shown);
      const found = await copy.all<FoundColumn>(COLUMNS);
      proveOwnership(found, copy.shown);
      proveReplaced(found, copy.shown);
      for (const { table, column } of lackingColumns(found))
        await copy.connection.query(`ALTER TABLE ${table} ADD COLUMN ${column} VARCHAR(16)`);
      // What a swap left behind that did not come to its end.
      await copy.connection.query(OLD);
      return copy;
    } catch (error) {
      await copy.close();
      throw error;
    }
  }

  /** To look at it; a runner may go on. */
  static async openToRead(target: ServerTarget, beside: boolean): Promise<MysqlCopy> {
    const copy = await MysqlCopy.connect(target, beside);
    try {
      proveOwnership(await copy.all<FoundColumn>(COLUMNS), copy.shown);
      return copy;
    } catch (error) {
      await copy.close();
      throw error;
    }
  }

  private static async connect(target: ServerTarget, beside: boolean): Promise<MysqlCopy> {
    const shown = shownTarget(target);
    const connection = await connect(target);
    try {
      await connection.query(`SET SESSION wait_timeout = ${IDLE_SECONDS}, SESSION sql_mode = 'STRICT_ALL_TABLES'`);
      return new MysqlCopy(shown, connection, beside);
    } catch (error) {
      connection.destroy();
      throw new SyncError(`${shown} cannot be used: ${(error as Error).message}`, undefined, { cause: error });
    }
  }

  async readState(): Promise<CopyState | undefined> {
    const tables = await this.all<{ name: string }>(
      'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
    );
    const there = tables.map(({ name }) => name);
    if (!there.includes(this.names.state)) {
      if (there.includes(this.names.table))
        throw new SyncError(`${this.shown} holds a table "asset" that is not of a copy`);
      return undefined;
    }
    const [stored] = await this.all<Parameters<typeof stateOf>[0]>(`SELECT * FROM ${this.names.state}`);
    // Made, and ended before anything was written.
    if (stored === undefined) return undefined;
    const state = stateOf(stored);
    checkVersion(state, this.shown);
    return state;
  }

  async begin(state: CopyState): Promise<void> {
    const { table, state: stateTable } = this.names;
    await this.connection.query(`DROP TABLE IF EXISTS ${table}, ${stateTable}`);
    if (table === NAME_OF_COPY.table) await this.log.drop();
    // The state's comes first: a table of assets without one is taken for somebody else's.
    for (const sql of TABLES(table, stateTable).toReversed()) await this.connection.query(sql);
    await this.inTransaction(() => this.keep(state));
  }

  async write(rows: readonly AssetRow[], state: CopyState): Promise<void> {
    await this.inTransaction(async () => {
      for (let next = 0; next < rows.length;) next += await this.replaceSome(rows, next);
      await this.keep(state);
    });
  }

  async remove(ids: readonly string[], state: CopyState): Promise<void> {
    await this.inTransaction(async () => {
      for (let next = 0; next < ids.length; next += IDS)
        await this.connection.query(`DELETE FROM ${this.names.table} WHERE id IN (?)`, [ids.slice(next, next + IDS)]);
      await this.keep(state);
    });
  }

  async finish(state: CopyState): Promise<void> {
    const { table, state: stateTable } = this.names;
    const indexes = await this.all(`SHOW INDEX FROM ${table} WHERE Key_name = 'asset_feed_us'`);
    if (indexes.length === 0) await this.connection.query(`ALTER TABLE ${table} ${INDEXES}`);
    await this.inTransaction(() => this.keep(state));
    if (table !== NAME_OF_COPY.table) {
      await this.swap(table, stateTable);
      await this.log.drop();
    }
    this.names = NAME_OF_COPY;
  }

  async count(): Promise<number> {
    const [{ count } = { count: 0 }] = await this.all<{ count: number }>(
      `SELECT COUNT(*) AS count FROM ${this.names.table}`,
    );
    return count;
  }

  async *entries({ afterUs, upToUs }: Range): AsyncGenerator<Entry[]> {
    const sql = `SELECT id, date_modified AS dateModified, feed_us AS feedUs FROM ${this.names.table}
      WHERE feed_us > ? AND feed_us <= ? ORDER BY feed_us LIMIT ${ENTRIES}`;
    for (let lastUs = afterUs; ;) {
      const entries = await this.all<Entry>(sql, lastUs, upToUs);
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
    const rows = await this.all<Parameters<typeof rowOf>[0]>(sql, afterUs, upToUs);
    return rows
      .map(rowOf)
      .map((row) => ({ ...entryOf(row), content: () => this.contentOf(row), document: row.document }));
  }

  async findEntry(id: string): Promise<Entry | undefined> {
    const sql = `SELECT id, date_modified AS dateModified, feed_us AS feedUs FROM ${this.names.table} WHERE id = ?`;
    return (await this.all<Entry>(sql, id))[0];
  }

  async placesOf(ids: readonly string[]): Promise<Map<string, number>> {
    if (ids.length === 0) return new Map();
    const sql = `SELECT id, feed_us AS feedUs FROM ${this.names.table} WHERE id IN (?)`;
    return new Map((await this.all<Entry>(sql, ids)).map(({ id, feedUs }) => [id, Number(feedUs)]));
  }

  async writeLog(rows: readonly LogRow[], state: CopyState): Promise<void> {
    await this.log.create();
    await this.inTransaction(async () => {
      await this.log.write(rows);
      await this.keep(state);
    });
  }

  logRows(from: number, upTo: number): Promise<LogRow[]> {
    return this.log.rows(from, upTo);
  }

  logPlaces(id: string): Promise<number[]> {
    return this.log.places(id);
  }

  async feedUsAt({ afterUs, upToUs }: Range, number: number): Promise<number | undefined> {
    const sql = `SELECT feed_us AS feedUs FROM ${this.names.table}
      WHERE feed_us > ? AND feed_us <= ? ORDER BY feed_us LIMIT 1 OFFSET ?`;
    return (await this.all<{ feedUs: number }>(sql, afterUs, upToUs, number))[0]?.feedUs;
  }

  async close(): Promise<void> {
    await this.connection.end().catch(() => this.connection.destroy());
  }

  /** In one statement, so that readers see the old copy or the new one. */
  private async swap(table: string, stateTable: string): Promise<void> {
    const there = await this.all(`SHOW TABLES LIKE 'sync\\_state'`);
    const away = there.length === 0 ? '' : `asset TO ${NAME_REPLACED.table}, sync_state TO ${NAME_REPLACED.state}, `;
    await this.connection.query(`RENAME TABLE ${away}${table} TO asset, ${stateTable} TO sync_state`);
    await this.connection.query(OLD);
  }

  /** @returns how many of `rows` from `first` on */
  private async replaceSome(rows: readonly AssetRow[], first: number): Promise<number> {
    const fits = (size: number): boolean => {
      const some = rows.slice(first, first + size);
      return some.length === size && some.reduce((sum, { document }) => sum + document.length, 0) <= MOST_CHARACTERS;
    };
    const count = SIZES.find(fits) ?? 1;
    const places = Array<string>(count)
      .fill(`(${placesFor(ASSET_COLUMNS)})`)
      .join(', ');
    // Replaced is also what stands at the same instant under another id, which can only be damaged.
    const sql = `REPLACE INTO ${this.names.table} (${ASSET_COLUMNS.join(', ')}) VALUES ${places}`;
    await this.connection.execute(sql, rows.slice(first, first + count).flatMap(valuesOf));
    return count;
  }

  private async keep(state: CopyState): Promise<void> {
    await this.connection.execute(`DELETE FROM ${this.names.state}`);
    const sql = `INSERT INTO ${this.names.state} (${STATE_COLUMNS.join(', ')}) VALUES (${placesFor(STATE_COLUMNS)})`;
    await this.connection.execute(sql, stateValuesOf(state));
  }

  private async inTransaction(work: () => Promise<void>): Promise<void> {
    try {
      await this.connection.beginTransaction();
      await work();
      await this.connection.commit();
    } catch (error) {
      await this.connection.rollback().catch(() => undefined);
      namingIfLost(this.shown)(error);
    }
  }

  private async all<T>(sql: string, ...values: unknown[]): Promise<T[]> {
    const [rows] = await this.connection.query<RowDataPacket[]>(sql, values).catch(namingIfLost(this.shown));
    return rows as T[];
  }
}
