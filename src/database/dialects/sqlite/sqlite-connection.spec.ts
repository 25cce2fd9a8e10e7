import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { StatementError } from '../dialect.js';
import { ThreadedConnection } from './sqlite-connection.js';

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

  it('is not disturbed by what Node.js tells under --watch of the files that the thread has loaded', async () => {
    const asked = connection.run('SELECT 1 AS n', []);
    workerOf(connection).emit('message', { 'watch:import': ['file:///registry/file-thread.js'] });
    expect(await asked).toEqual([{ n: 1 }]);
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

  it('rolls back what is open when it is given up, and goes on', async () => {
    await connection.run('INSERT INTO t (n) VALUES (1)', []);
    connection.destroy();
    for (const sql of ['INSERT INTO t (n) VALUES (2)', 'COMMIT']) await connection.run(sql, []);
    expect(seen()).toEqual([2]);
    connection.destroy();
    expect(connection.isOpen).toBe(true);
  });

  it('answers everything before it ends, and nothing afterwards', async () => {
    const answers = ['INSERT INTO t (n) VALUES (1)', 'COMMIT'].map((sql) => connection.run(sql, []));
    await connection.end();
    expect(await Promise.all(answers)).toEqual([{}, {}]);
    expect([connection.isOpen, connection.isOver]).toEqual([false, true]);
    expect(await codeOf('SELECT 1')).toHaveProperty('code', 'THREAD_ENDED');
    expect(seen()).toEqual([1]);
  });
});
