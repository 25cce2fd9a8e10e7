import { describe, expect, it, jest } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import type { DataSource } from 'typeorm';
import { StatementError } from '../dialect.js';
import { SqliteConnection } from './sqlite-connection.js';

function opened(): { connection: SqliteConnection; handle: Sqlite.Database } {
  const handle = new Sqlite(':memory:');
  const dataSource = { driver: { databaseConnection: handle } } as unknown as DataSource;
  return { connection: SqliteConnection.of(dataSource), handle };
}

describe('a statement', () => {
  it('returns its rows', async () => {
    const { connection } = opened();
    expect(await connection.run('SELECT ? AS us', [1_800_000_000_000_000n])).toEqual([{ us: 1_800_000_000_000_000 }]);
  });

  it('that writes is run', async () => {
    const { connection } = opened();
    await connection.run('CREATE TABLE t (n BIGINT)', []);
    await connection.run('INSERT INTO t (n) VALUES (?)', [7]);
    expect(await connection.run('SELECT n, typeof(n) AS type FROM t', [])).toEqual([{ n: 7, type: 'integer' }]);
  });

  it('is prepared once', async () => {
    const { connection, handle } = opened();
    const prepare = jest.spyOn(handle, 'prepare');
    for (const value of ['a', 'b']) await connection.run('SELECT ? AS value', [value]);
    expect(prepare).toHaveBeenCalledTimes(1);
  });

  it('that fails is told as one, with the driver’s code', async () => {
    const { connection } = opened();
    const error: unknown = await connection.run('SELECT * FROM nothing', []).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StatementError);
    expect(error).toHaveProperty('driverError.code', 'SQLITE_ERROR');
  });
});
