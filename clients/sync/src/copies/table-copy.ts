import { type AssetRow, type Entry, entryOf } from '../asset-row.js';
import { SyncError } from '../sync-error.js';
import {
  ASSET_COLUMNS,
  LOG_COLUMNS,
  logRowIn,
  logTable,
  logValuesOf,
  placeholdersFor,
  rowOf,
  STATE_COLUMNS,
  stateOf,
  stateValuesOf,
  type Stored,
  tablesOf,
  valuesOf,
} from './columns.js';
import { checkVersion, type Content, type Copy, type CopyState, type Range } from './copy.js';
import type { LogRow } from './log-row.js';
import { LOG_TABLE, RESYNC_TABLES, COPY_TABLES, type SqlDatabase, type TableNames } from './sql-database.js';

/** Rows per statement that reads entries. */
const ENTRIES = 10_000;
/** Ids per statement. Always the same number, so that SQLite reuses the prepared statement. */
const PORTION = 1_000;

/** A copy in tables of a database. */
export class TableCopy implements Copy {
  private names: TableNames;

  constructor(
    private readonly database: SqlDatabase,
    isResync: boolean,
  ) {
    this.names = isResync ? RESYNC_TABLES : COPY_TABLES;
  }

  async readState(): Promise<CopyState | undefined> {
    const { database, names } = this;
    if (!(await this.hasTable(names.state))) {
      if (await this.hasTable(names.assets))
        throw new SyncError(`${database.shown} has a table "asset" that is not of a copy`);
      return undefined;
    }
    const [stored] = await database.all<Stored>(`SELECT * FROM ${names.state}`);
    // An earlier run made the tables, and ended before it wrote to them.
    if (stored === undefined) return undefined;
    const state = stateOf(stored);
    checkVersion(state, database.shown);
    return state;
  }

  begin(state: CopyState): Promise<void> {
    const { database, names } = this;
    const dropped = [names.assets, names.state, ...(names === COPY_TABLES ? [LOG_TABLE] : [])];
    return database.transaction(async () => {
      for (const table of dropped) await database.run(`DROP TABLE IF EXISTS ${table}`);
      for (const sql of tablesOf(names, database.types)) await database.run(sql);
      await this.writeState(state);
    });
  }

  write(rows: readonly AssetRow[], state: CopyState): Promise<void> {
    return this.database.transaction(async () => {
      await this.database.replace(this.names.assets, ASSET_COLUMNS, rows.map(valuesOf));
      await this.writeState(state);
    });
  }

  remove(ids: readonly string[], state: CopyState): Promise<void> {
    return this.database.transaction(async () => {
      for (const some of portionsOf(ids))
        await this.database.run(`DELETE FROM ${this.names.assets} WHERE id IN (${placeholdersFor(some)})`, ...some);
      await this.writeState(state);
    });
  }

  async finish(state: CopyState): Promise<void> {
    const { names } = this;
    await this.database.finish(names, () => this.writeState(state));
    this.names = COPY_TABLES;
  }

  async count(): Promise<number> {
    const [counted] = await this.database.all<{ count: number }>(`SELECT COUNT(*) AS count FROM ${this.names.assets}`);
    return counted?.count ?? 0;
  }

  async *entries({ afterUs, upToUs }: Range): AsyncGenerator<Entry[]> {
    const sql = `SELECT id, date_modified AS "dateModified", feed_us AS "feedUs" FROM ${this.names.assets}
      WHERE feed_us > ? AND feed_us <= ? ORDER BY feed_us LIMIT ${ENTRIES}`;
    for (let lastUs = afterUs; ;) {
      const entries = await this.database.all<Entry>(sql, lastUs, upToUs);
      if (entries.length > 0) yield entries;
      if (entries.length < ENTRIES) return;
      lastUs = (entries.at(-1) as Entry).feedUs;
    }
  }

  contentOf(row: AssetRow): string {
    return JSON.stringify(valuesOf(row));
  }

  async contents({ afterUs, upToUs }: Range): Promise<Content[]> {
    const sql = `SELECT ${ASSET_COLUMNS.join(', ')} FROM ${this.names.assets} WHERE feed_us > ? AND feed_us <= ? ORDER BY feed_us`;
    const rows = await this.database.all<Stored>(sql, afterUs, upToUs);
    return rows
      .map(rowOf)
      .map((row) => ({ ...entryOf(row), content: () => this.contentOf(row), document: row.document }));
  }

  async findEntry(id: string): Promise<Entry | undefined> {
    const sql = `SELECT id, date_modified AS "dateModified", feed_us AS "feedUs" FROM ${this.names.assets} WHERE id = ?`;
    return (await this.database.all<Entry>(sql, id))[0];
  }

  async feedUsByIds(ids: readonly string[]): Promise<Map<string, number>> {
    const positions = new Map<string, number>();
    for (const some of portionsOf(ids)) {
      const sql = `SELECT id, feed_us AS "feedUs" FROM ${this.names.assets} WHERE id IN (${placeholdersFor(some)})`;
      for (const { id, feedUs } of await this.database.all<Entry>(sql, ...some)) positions.set(id, Number(feedUs));
    }
    return positions;
  }

  async writeLog(rows: readonly LogRow[], state: CopyState): Promise<void> {
    // In its own transaction, because CREATE TABLE commits the current one on some servers.
    if (!(await this.hasTable(LOG_TABLE)))
      await this.database.transaction(() => this.database.run(logTable(this.database.types)));
    await this.database.transaction(async () => {
      await this.database.replace(LOG_TABLE, LOG_COLUMNS, rows.map(logValuesOf));
      await this.writeState(state);
    });
  }

  async logRows(from: number, upTo: number): Promise<LogRow[]> {
    if (!(await this.hasTable(LOG_TABLE))) return [];
    const sql = `SELECT ${LOG_COLUMNS.join(', ')} FROM ${LOG_TABLE} WHERE place >= ? AND place < ? ORDER BY place`;
    return (await this.database.all<Stored>(sql, from, upTo)).map(logRowIn);
  }

  async logPlaces(id: string): Promise<number[]> {
    if (!(await this.hasTable(LOG_TABLE))) return [];
    const sql = `SELECT place FROM ${LOG_TABLE} WHERE id = ? ORDER BY place`;
    return (await this.database.all<{ place: number }>(sql, id)).map(({ place }) => place);
  }

  async feedUsAt({ afterUs, upToUs }: Range, number: number): Promise<number | undefined> {
    const sql = `SELECT feed_us AS "feedUs" FROM ${this.names.assets}
      WHERE feed_us > ? AND feed_us <= ? ORDER BY feed_us LIMIT 1 OFFSET ?`;
    return (await this.database.all<{ feedUs: number }>(sql, afterUs, upToUs, number))[0]?.feedUs;
  }

  close(): Promise<void> {
    return this.database.close();
  }

  private async hasTable(name: string): Promise<boolean> {
    return (await this.database.columns()).some(({ table }) => table === name);
  }

  private async writeState(state: CopyState): Promise<void> {
    await this.database.run(`DELETE FROM ${this.names.state}`);
    const sql = `INSERT INTO ${this.names.state} (${STATE_COLUMNS.join(', ')}) VALUES (${placeholdersFor(STATE_COLUMNS)})`;
    await this.database.run(sql, ...stateValuesOf(state));
  }
}

/** Splits ids into portions of one statement each. The last one is padded with its last id. */
function* portionsOf(ids: readonly string[]): Generator<string[]> {
  for (let next = 0; next < ids.length; next += PORTION) {
    const portion = ids.slice(next, next + PORTION);
    yield [...portion, ...Array<string>(PORTION - portion.length).fill(portion.at(-1) as string)];
  }
}
