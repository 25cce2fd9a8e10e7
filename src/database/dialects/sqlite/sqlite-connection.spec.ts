import { renameSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import type { DataSource } from 'typeorm';
import { logger } from '../../../logging/logger.js';
import { DeadlineError } from '../../trouble.js';
import { StatementError } from '../dialect.js';
import { filesAt } from './file-place.js';
import { SqliteConnection, ThreadedConnection } from './sqlite-connection.js';

const workerOf = (connection: ThreadedConnection): Worker => (connection as unknown as { worker: Worker }).worker;

describe('a connection with a thread of its own', () => {
  let folder: string;
  let path: string;
  let connection: ThreadedConnection;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'thread-'));
    path = join(folder, 'registry.sqlite');
    const handle = new Sqlite(path);
    handle.pragma('journal_mode = WAL');
    handle.exec('CREATE TABLE t (n BIGINT PRIMARY KEY, bytes BLOB)');
    handle.close();
    connection = new ThreadedConnection({
      does: 'write',
      path,
      files: new Map(),
      busyMs: 0,
      pragmas: ['synchronous = FULL'],
    });
  });
  afterEach(async () => {
    await connection.end();
    await rm(folder, { recursive: true });
  });

  const seen = (): unknown => {
    const handle = new Sqlite(path, { readonly: true });
    try {
      return handle.prepare('SELECT n FROM t ORDER BY n').pluck().all();
    } finally {
      handle.close();
    }
  };
  const codeOf = (sql: string): Promise<unknown> =>
    connection.run(sql, []).catch((error: unknown) => (error as StatementError).driverError);

  it('returns rows, with integers and bytes as the driver gives them', async () => {
    const [row] = (await connection.run('SELECT ? AS us, ? AS bytes, ? AS text', [
      1_800_000_000_000_000n,
      Buffer.from('ї'),
      'ґ',
    ])) as [{ bytes: Buffer }];
    expect(row).toEqual({ us: 1_800_000_000_000_000, bytes: Buffer.from('ї'), text: 'ґ' });
    expect(row.bytes.toString()).toBe('ї');
  });

  it('is not disturbed by what Node.js tells under --watch of the files that the thread has loaded', async () => {
    const asked = connection.run('SELECT 1 AS n', []);
    workerOf(connection).emit('message', { 'watch:import': ['file:///registry/file-thread.js'] });
    expect(await asked).toEqual([{ n: 1 }]);
  });

  it('that reads sees what was committed before each statement, and writes nothing', async () => {
    const reading = new ThreadedConnection({ does: 'read', path, files: new Map(), busyMs: 0, pragmas: [] });
    const large = Buffer.alloc(100_000, 'ї');
    for (const n of [1, 2]) {
      await connection.run('INSERT INTO t (n, bytes) VALUES (?, ?)', [n, large]);
      await connection.run('COMMIT', []);
      const rows = (await reading.run('SELECT bytes FROM t', [])) as { bytes: Buffer }[];
      expect(rows.map(({ bytes }) => bytes.equals(large))).toEqual(Array.from({ length: n }, () => true));
    }
    await expect(reading.run('DELETE FROM t', [])).rejects.toHaveProperty('driverError.code', 'SQLITE_READONLY');
    await reading.end();
  });

  it('runs what is begun at once in its order, each whatever became of those before it', async () => {
    const told = await Promise.allSettled([
      connection.run('INSERT INTO t (n) VALUES (1)', []),
      connection.run('INSERT INTO t (n) VALUES (1)', []),
      connection.run('UPDATE t SET n = n + 1', []),
      connection.run('COMMIT', []),
    ]);
    expect(told.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(seen()).toEqual([2]);
  });

  it('tells the driver’s code of what fails', async () => {
    await connection.run('INSERT INTO t (n) VALUES (1)', []);
    expect(await codeOf('INSERT INTO t (n) VALUES (1)')).toHaveProperty('code', 'SQLITE_CONSTRAINT_PRIMARYKEY');
    expect(await codeOf('SELECT * FROM nothing')).toHaveProperty('code', 'SQLITE_ERROR');
  });

  it('begins a transaction that writes with its first statement', async () => {
    await connection.run('SELECT 1', []);
    const other = new Sqlite(path, { timeout: 0 });
    expect(() => other.exec('BEGIN IMMEDIATE')).toThrow(/locked/);
    await connection.run('ROLLBACK', []);
    other.exec('BEGIN IMMEDIATE');
    expect(await codeOf('SELECT 1')).toHaveProperty('code', 'SQLITE_BUSY');
    other.close();
    expect(await codeOf('COMMIT')).toHaveProperty('code', 'SQLITE_ERROR');
  });

  it('ends a transaction of which nothing was asked, and one that could not begin can be rolled back', async () => {
    for (const sql of ['COMMIT', 'ROLLBACK', 'COMMIT']) expect(await connection.run(sql, [])).toEqual({});
    const other = new Sqlite(path, { timeout: 0 });
    other.exec('BEGIN IMMEDIATE');
    expect(await codeOf('SELECT 1')).toHaveProperty('code', 'SQLITE_BUSY');
    other.close();
    expect(await connection.run('ROLLBACK', [])).toEqual({});
  });

  it('does not say that it has committed what it has rolled back', async () => {
    await connection.run('INSERT INTO t (n) VALUES (1)', []);
    connection.destroy();
    expect(await codeOf('COMMIT')).toHaveProperty('code', 'SQLITE_ERROR');
    expect(seen()).toEqual([]);
  });

  it.each(['', '-wal'])(
    'commits nothing to a file that stands at its path no more (registry.sqlite%s)',
    async (end) => {
      await connection.end();
      const other = new Sqlite(path);
      other.exec('BEGIN; SELECT * FROM t; COMMIT');
      connection = new ThreadedConnection({ does: 'write', path, files: filesAt(path), busyMs: 0, pragmas: [] });
      await connection.run('INSERT INTO t (n) VALUES (1)', []);
      expect(await connection.run('COMMIT', [])).toEqual({});
      renameSync(path + end, `${path}.moved`);
      await connection.run('INSERT INTO t (n) VALUES (2)', []);
      expect(await codeOf('COMMIT')).toHaveProperty('code', 'SQLITE_MOVED');
      expect(await connection.run('ROLLBACK', [])).toEqual({});
      renameSync(`${path}.moved`, path + end);
      expect(seen()).toEqual([1]);
      await connection.run('INSERT INTO t (n) VALUES (3)', []);
      expect(await connection.run('COMMIT', [])).toEqual({});
      expect(seen()).toEqual([1, 3]);
      other.close();
    },
  );

  it('waits once for a lock, however many statements were begun at once', async () => {
    await connection.end();
    // To wait anew for each would take twice as long as it may be silent.
    connection = new ThreadedConnection({ does: 'write', path, files: new Map(), busyMs: 1_000, pragmas: [] }, 10_000);
    await connection.run('ROLLBACK', []);
    const other = new Sqlite(path);
    other.exec('BEGIN IMMEDIATE');
    const begun = await Promise.all(Array.from({ length: 20 }, () => codeOf('SELECT 1')));
    other.close();
    expect(begun).toEqual(begun.map(() => expect.objectContaining({ code: 'SQLITE_BUSY' })));
  });

  it('shows others only what was committed', async () => {
    await connection.run('INSERT INTO t (n) VALUES (1)', []);
    expect(seen()).toEqual([]);
    await connection.run('COMMIT', []);
    expect(seen()).toEqual([1]);
  });

  it('rolls back what is open when it is given up, and goes on', async () => {
    await connection.run('INSERT INTO t (n) VALUES (1)', []);
    connection.destroy();
    for (const sql of ['INSERT INTO t (n) VALUES (2)', 'COMMIT']) await connection.run(sql, []);
    expect(seen()).toEqual([2]);
    connection.destroy();
    expect(connection.isOpen).toBe(true);
  });

  it('gives the event loop to others while it waits for a lock', async () => {
    await connection.end();
    connection = new ThreadedConnection({ does: 'write', path, files: new Map(), busyMs: 60_000, pragmas: [] });
    await connection.run('SELECT 1', []);
    await connection.run('COMMIT', []);
    const other = new Sqlite(path);
    other.exec('BEGIN IMMEDIATE');
    const begun = connection.run('SELECT 1 AS one', []);
    // Nobody else could end what it waits for.
    setTimeout(() => other.close(), 50);
    expect(await begun).toEqual([{ one: 1 }]);
  });

  it('is given up where it is silent for long, and over when its thread goes on', async () => {
    await connection.end();
    connection = new ThreadedConnection({ does: 'write', path, files: new Map(), busyMs: 60_000, pragmas: [] }, 50);
    const other = new Sqlite(path);
    other.exec('BEGIN IMMEDIATE');
    await expect(connection.run('SELECT 1', [])).rejects.toBeInstanceOf(DeadlineError);
    expect([connection.isOpen, connection.isOver]).toEqual([false, false]);
    // It does not wait for what nobody knows the end of.
    await connection.end();
    other.close();
    while (!connection.isOver) await sleep(5);
  });

  it('tells those who wait that its thread was lost, and the log why', async () => {
    const told = jest.spyOn(logger, 'error').mockImplementation(() => undefined);
    await connection.run('INSERT INTO t (n) VALUES (1)', []);
    const [last] = [codeOf('INSERT INTO t (n) VALUES (2)'), workerOf(connection).terminate()];
    expect(await last).toHaveProperty('code', 'THREAD_ENDED');
    expect(told).toHaveBeenCalledTimes(1);
    expect(await codeOf('SELECT 1')).toHaveProperty('code', 'THREAD_ENDED');
    expect([seen(), connection.isOpen]).toEqual([[], false]);
    jest.restoreAllMocks();
  });

  it('refuses a value that cannot be copied, and goes on', async () => {
    const bound = [() => undefined];
    await expect(connection.run('SELECT ?', bound)).rejects.toBeInstanceOf(StatementError);
    expect(await connection.run('SELECT 1 AS one', [])).toEqual([{ one: 1 }]);
  });

  it('answers everything before it ends, and nothing afterwards', async () => {
    const answers = ['INSERT INTO t (n) VALUES (1)', 'COMMIT'].map((sql) => connection.run(sql, []));
    await connection.end();
    expect(await Promise.all(answers)).toEqual([{}, {}]);
    expect([connection.isOpen, connection.isOver]).toEqual([false, true]);
    expect(await codeOf('SELECT 1')).toHaveProperty('code', 'THREAD_ENDED');
    expect(seen()).toEqual([1]);
  });

  it('is lost where there is no file, and says so with the driver’s code', async () => {
    await connection.end();
    const told = jest.spyOn(logger, 'error').mockImplementation(() => undefined);
    connection = new ThreadedConnection({
      does: 'write',
      path: join(folder, 'none'),
      files: new Map(),
      busyMs: 0,
      pragmas: [],
    });
    expect(await codeOf('SELECT 1')).toHaveProperty('code', 'SQLITE_CANTOPEN');
    expect(connection.isOpen).toBe(false);
    await connection.end();
    expect(told).toHaveBeenCalledTimes(1);
    jest.restoreAllMocks();
  });
});

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
