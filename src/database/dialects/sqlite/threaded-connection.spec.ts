import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { StatementError } from '../dialect.js';
import { ThreadedConnection } from './threaded-connection.js';

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
    connection = new ThreadedConnection({ path, busyMs: 0, pragmas: ['synchronous = FULL'] });
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

  it('runs what is begun at once in its order, each whatever became of those before it', async () => {
    const told = await Promise.allSettled([
      connection.run('INSERT INTO t (n) VALUES (1)', []),
      connection.run('INSERT INTO t (n) VALUES (1)', []),
      connection.run('UPDATE t SET n = n + 1', []),
    ]);
    expect(told.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(seen()).toEqual([2]);
  });

  it('tells the driver’s code of what fails', async () => {
    await connection.run('INSERT INTO t (n) VALUES (1)', []);
    expect(await codeOf('INSERT INTO t (n) VALUES (1)')).toHaveProperty('code', 'SQLITE_CONSTRAINT_PRIMARYKEY');
    expect(await codeOf('SELECT * FROM nothing')).toHaveProperty('code', 'SQLITE_ERROR');
  });

  it('shows others only what was committed', async () => {
    for (const sql of ['BEGIN IMMEDIATE', 'INSERT INTO t (n) VALUES (1)']) await connection.run(sql, []);
    expect(seen()).toEqual([]);
    await connection.run('COMMIT', []);
    expect(seen()).toEqual([1]);
  });

  it('rolls back what is open when it is given up, and goes on', async () => {
    for (const sql of ['BEGIN IMMEDIATE', 'INSERT INTO t (n) VALUES (1)']) await connection.run(sql, []);
    connection.destroy();
    for (const sql of ['BEGIN IMMEDIATE', 'INSERT INTO t (n) VALUES (2)', 'COMMIT']) await connection.run(sql, []);
    expect(seen()).toEqual([2]);
    connection.destroy();
    expect(connection.isOpen).toBe(true);
  });

  it('gives the event loop to others while it waits for a lock', async () => {
    await connection.end();
    connection = new ThreadedConnection({ path, busyMs: 60_000, pragmas: [] });
    const other = new Sqlite(path);
    other.exec('BEGIN IMMEDIATE');
    const begun = connection.run('BEGIN IMMEDIATE', []);
    // Nobody else could end what it waits for.
    setTimeout(() => other.close(), 50);
    expect(await begun).toEqual({});
  });

  it('answers everything before it ends, and nothing afterwards', async () => {
    const answer = connection.run('INSERT INTO t (n) VALUES (1)', []);
    await connection.end();
    expect(await answer).toEqual({});
    expect(connection.isOpen).toBe(false);
    expect(await codeOf('SELECT 1')).toHaveProperty('code', 'SQLITE_IOERR');
    expect(seen()).toEqual([1]);
  });

  it('is closed where there is no file', async () => {
    await connection.end();
    connection = new ThreadedConnection({ path: join(folder, 'none'), busyMs: 0, pragmas: [] });
    await expect(connection.run('SELECT 1', [])).rejects.toBeInstanceOf(StatementError);
    expect(connection.isOpen).toBe(false);
  });
});
