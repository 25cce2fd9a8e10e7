import type { Connection, RowDataPacket } from 'mysql2/promise';
import { LOG_COLUMNS, LOG_TABLE, type LogRow, logValuesOf, SELECT_LOG } from './log-row.js';

/** Of one statement. */
const ROWS = 100;
const MOST_CHARACTERS = 1_000_000;

/** The log that a copy in MySQL or MariaDB keeps. */
export class MysqlLog {
  constructor(private readonly connection: Connection) {}

  /** A statement that ends a transaction: before one begins. */
  async create(): Promise<void> {
    await this.connection.query(`CREATE TABLE IF NOT EXISTS ${LOG_TABLE} (
      place BIGINT NOT NULL PRIMARY KEY,
      id CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      date_modified VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
      entry TEXT NOT NULL,
      opening LONGTEXT,
      document LONGTEXT,
      KEY asset_log_id (id, place)
    ) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
  }

  async drop(): Promise<void> {
    await this.connection.query(`DROP TABLE IF EXISTS ${LOG_TABLE}`);
  }

  /** In the transaction of the caller. */
  async write(rows: readonly LogRow[]): Promise<void> {
    for (let first = 0; first < rows.length;) {
      let [end, characters] = [first, 0];
      while (end < rows.length && end - first < ROWS && characters < MOST_CHARACTERS)
        characters += charactersOf(rows[end++] as LogRow);
      const values = rows.slice(first, end).map(logValuesOf);
      await this.connection.query(`REPLACE INTO ${LOG_TABLE} (${LOG_COLUMNS.join(', ')}) VALUES ?`, [values]);
      first = end;
    }
  }

  async rows(from: number, upTo: number): Promise<LogRow[]> {
    if (!(await this.isThere())) return [];
    const sql = `${SELECT_LOG} WHERE place >= ? AND place < ? ORDER BY place`;
    const [rows] = await this.connection.query<RowDataPacket[]>(sql, [from, upTo]);
    return rows as LogRow[];
  }

  async places(id: string): Promise<number[]> {
    if (!(await this.isThere())) return [];
    const sql = `SELECT place FROM ${LOG_TABLE} WHERE id = ? ORDER BY place`;
    const [rows] = await this.connection.query<RowDataPacket[]>(sql, [id]);
    return (rows as { place: number }[]).map(({ place }) => place);
  }

  private async isThere(): Promise<boolean> {
    const [rows] = await this.connection.query<RowDataPacket[]>(`SHOW TABLES LIKE 'asset\\_log'`);
    return rows.length > 0;
  }
}

/** Where much was erased, what opens an entry is longer than what is left of the state. */
function charactersOf({ opening, document }: LogRow): number {
  return (opening?.length ?? 0) + (document?.length ?? 0);
}
