import Sqlite from 'better-sqlite3';
import { insertValues, SQL, type Store } from './store.js';

/** Prepared statements, each synced before it is answered. */
export function openSqliteStore(path: string): Store {
  const database = new Sqlite(path);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  const [body, asset, insert, update] = [SQL.body, SQL.asset, SQL.insert, SQL.update].map((sql) =>
    database.prepare(sql),
  );
  const [page, wholePage] = [SQL.page, SQL.wholePage].map((sql) => database.prepare(sql).raw());
  body?.pluck();
  asset?.raw();
  return {
    findBody: async (id) => body?.get(id) as string | undefined,
    find: async (id) => {
      const row = asset?.get(id) as [string, string, string, string] | undefined;
      return row && { body: row[0], owner: row[1], tokenDigest: row[2], status: row[3] };
    },
    page: async (afterUs, limit) => page?.all(afterUs, limit) as [string, number][],
    wholePage: async (afterUs, limit) => wholePage?.all(afterUs, limit) as [string, number][],
    insert: async (row) => void insert?.run(...insertValues(row)),
    update: async (id, text, us) => void update?.run(text, us, us, id),
    accounts: async () => new Map(database.prepare(SQL.accounts).raw().all() as [string, string][]),
    lastNumber: async (prefix) => {
      const last = database.prepare(SQL.lastNumber).pluck().get(`${prefix}%`) as string | undefined;
      return Number(last?.slice(prefix.length) ?? 0);
    },
    close: async () => void database.close(),
  };
}
