import type Sqlite from 'better-sqlite3';
import { placesFor } from './columns.js';
import { LOG_COLUMNS, LOG_TABLE, type LogRow, logValuesOf, SELECT_LOG } from './log-row.js';

/** The log that a copy in SQLite keeps. */
export class SqliteLog {
  constructor(private readonly database: Sqlite.Database) {}

  /** In the transaction of the caller. */
  write(rows: readonly LogRow[]): void {
    this.database.exec(`
      CREATE TABLE IF NOT EXISTS ${LOG_TABLE} (
        place INTEGER NOT NULL PRIMARY KEY, id TEXT NOT NULL, date_modified TEXT NOT NULL, entry TEXT NOT NULL, opening TEXT, document TEXT
      );
      CREATE INDEX IF NOT EXISTS asset_log_id ON ${LOG_TABLE} (id, place);`);
    const replace = this.database.prepare(
      `REPLACE INTO ${LOG_TABLE} (${LOG_COLUMNS.join(', ')}) VALUES (${placesFor(LOG_COLUMNS)})`,
    );
    for (const row of rows) replace.run(logValuesOf(row));
  }

  /** In the transaction of the caller. */
  drop(): void {
    this.database.exec(`DROP TABLE IF EXISTS ${LOG_TABLE}`);
  }

  rows(from: number, upTo: number): LogRow[] {
    if (!this.isThere()) return [];
    const sql = `${SELECT_LOG} WHERE place >= ? AND place < ? ORDER BY place`;
    return this.database.prepare(sql).all(from, upTo) as LogRow[];
  }

  places(id: string): number[] {
    if (!this.isThere()) return [];
    const sql = `SELECT place FROM ${LOG_TABLE} WHERE id = ? ORDER BY place`;
    return this.database.prepare(sql).pluck().all(id) as number[];
  }

  private isThere(): boolean {
    return this.database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(LOG_TABLE) !== undefined;
  }
}
