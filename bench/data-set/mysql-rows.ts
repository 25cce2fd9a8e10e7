import { createPool, type Pool, type PoolConnection } from 'mysql2/promise';
import type { Rows } from './rows.js';

const CONNECTIONS = 4;

/** Neither logged nor checked while it is written: nobody reads it yet. */
export function openMysql(databaseUrl: string): Promise<Rows> {
  const pool = createPool({ uri: databaseUrl, connectionLimit: CONNECTIONS, charset: 'UTF8MB4_BIN' });
  const inSession = async <T>(work: (connection: PoolConnection) => Promise<T>): Promise<T> => {
    const connection = await pool.getConnection();
    try {
      await connection.query('SET SESSION sql_log_bin = 0, SESSION unique_checks = 0');
      return await work(connection);
    } finally {
      connection.release();
    }
  };
  return Promise.resolve({
    insert: (table, columns, rows) =>
      inSession(async (connection) => {
        await connection.execute(insertSql(table, columns, rows.length), rows.flat() as never);
      }),
    run: (sql, values = []) => inSession(async (connection) => void (await connection.query(sql, values))),
    ask: (sql) => ask(pool, sql),
    close: () => pool.end(),
  });
}

async function ask(pool: Pool, sql: string): Promise<unknown> {
  const [rows] = await pool.query({ sql, rowsAsArray: true });
  return (rows as unknown as unknown[][])[0]?.[0];
}

function insertSql(table: string, columns: readonly string[], count: number): string {
  const places = `(${columns.map(() => '?').join(', ')})`;
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array<string>(count).fill(places).join(', ')}`;
}
