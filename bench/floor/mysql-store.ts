import { createPool } from 'mysql2';
import { insertValues, SQL, type Store } from './store.js';

/** Prepared statements on a pool. */
export function openMysqlStore(url: string, connectionLimit: number): Store {
  const pool = createPool({ uri: url, connectionLimit, charset: 'UTF8MB4_BIN', rowsAsArray: true });
  // The driver's own promises take a stack trace for each query.
  const run = <Row>(sql: string, values: (string | number)[] = []): Promise<Row[]> =>
    new Promise((resolve, reject) => {
      pool.execute(sql, values, (error, rows) => {
        if (error) reject(error);
        else resolve(rows as unknown as Row[]);
      });
    });
  return {
    findBody: async (id) => (await run<[string]>(SQL.body, [id]))[0]?.[0],
    find: async (id) => {
      const [row] = await run<[string, string, string, string]>(SQL.asset, [id]);
      return row && { body: row[0], owner: row[1], tokenDigest: row[2], status: row[3] };
    },
    page: (afterUs, limit) => run(SQL.page, [afterUs, limit]),
    wholePage: (afterUs, limit) => run(SQL.wholePage, [afterUs, limit]),
    insert: async (row) => void (await run(SQL.insert, insertValues(row))),
    update: async (id, body, us) => void (await run(SQL.update, [body, us, us, id])),
    accounts: async () => new Map(await run<[string, string]>(SQL.accounts)),
    lastNumber: async (prefix) => {
      const [row] = await run<[string]>(SQL.lastNumber, [`${prefix}%`]);
      return Number(row?.[0].slice(prefix.length) ?? 0);
    },
    close: () => new Promise((resolve, reject) => pool.end((error) => (error ? reject(error) : resolve()))),
  };
}
