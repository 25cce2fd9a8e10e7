import Sqlite from 'better-sqlite3';
import type { Rows } from './rows.js';

/** Not synced while it is written: nobody reads it yet. */
export function openSqlite(databaseUrl: string): Promise<Rows> {
  const database = new Sqlite(databaseUrl.slice('sqlite:'.length));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = OFF');
  const insertAll = database.transaction((table: string, columns: readonly string[], rows: readonly unknown[][]) => {
    const places = columns.map(() => '?').join(', ');
    const insert = database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`);
    for (const row of rows) insert.run(...row);
  });
  return Promise.resolve({
    insert: async (table, columns, rows) => insertAll(table, columns, rows),
    run: async (sql, values = []) => void database.prepare(sql).run(...values),
    ask: async (sql) => database.prepare(sql).pluck().get(),
    close: async () => void database.close(),
  });
}
