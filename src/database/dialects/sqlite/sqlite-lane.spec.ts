import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Sqlite from 'embedded-sqlite';
import type { StatementError } from '../dialect.js';
import { SqliteLane } from './sqlite-lane.js';

/** Longer than a test takes. */
const LONG_MS = 600_000;

describe('the lane of a SQLite file', () => {
  let folder: string;
  let path: string;
  let handle: Sqlite.Database;
  let other: Sqlite.Database;
  let lane: SqliteLane;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lane-'));
    path = join(folder, 'registry.sqlite');
    handle = new Sqlite(path);
    handle.pragma('journal_mode = WAL');
    handle.exec('CREATE TABLE t (n BIGINT PRIMARY KEY)');
    other = new Sqlite(path, { timeout: 0 });
    lane = new SqliteLane(handle, 0);
  });
  afterEach(() => {
    other.close();
    handle.close();
    rmSync(folder, { recursive: true });
  });

  const rows = (): unknown => other.prepare('SELECT n FROM t ORDER BY n').pluck().all();
  const classifyFailure = (sql: string): Promise<unknown> =>
    lane.run(sql, []).catch((error: unknown) => (error as StatementError).driverError);

  it('runs statements in order, even after a failure', async () => {
    const results = await Promise.allSettled([
      lane.run('INSERT INTO t (n) VALUES (1)', []),
      lane.run('INSERT INTO t (n) VALUES (1)', []),
      lane.run('UPDATE t SET n = n + 1', []),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await lane.run('COMMIT', []);
    expect(rows()).toEqual([2]);
  });

  it('begins a write transaction with its first statement', async () => {
    await lane.run('SELECT 1', []);
    expect(() => other.exec('BEGIN IMMEDIATE')).toThrow(/locked/);
    await lane.run('ROLLBACK', []);
    other.exec('BEGIN IMMEDIATE');
    expect(await classifyFailure('SELECT 1')).toHaveProperty('code', 'SQLITE_BUSY');
    other.exec('ROLLBACK');
    expect(await classifyFailure('COMMIT')).toHaveProperty('code', 'SQLITE_ERROR');
  });

  it('ends an empty transaction, and rolls back one that could not begin', async () => {
    for (const sql of ['COMMIT', 'ROLLBACK', 'COMMIT']) expect(await lane.run(sql, [])).toEqual({});
    other.exec('BEGIN IMMEDIATE');
    expect(await classifyFailure('SELECT 1')).toHaveProperty('code', 'SQLITE_BUSY');
    other.exec('ROLLBACK');
    expect(await lane.run('ROLLBACK', [])).toEqual({});
  });

  it('waits for a lock without blocking the event loop, once for all statements, in order', async () => {
    lane = new SqliteLane(handle, LONG_MS);
    other.exec('BEGIN IMMEDIATE; INSERT INTO t (n) VALUES (1)');
    const pending = [1, 10].map((factor) => lane.run('UPDATE t SET n = n * ? + 1', [factor]));
    await sleep(50);
    other.exec('COMMIT');
    await Promise.all(pending);
    await lane.run('COMMIT', []);
    expect(rows()).toEqual([21]);
  });

  it('fails a COMMIT after a rollback', async () => {
    await lane.run('INSERT INTO t (n) VALUES (1)', []);
    lane.destroy();
    expect(await classifyFailure('COMMIT')).toHaveProperty('code', 'SQLITE_ERROR');
    expect(rows()).toEqual([]);
  });

  it('rolls back an open transaction when destroyed, and can be used again', async () => {
    await lane.run('INSERT INTO t (n) VALUES (1)', []);
    lane.destroy();
    for (const sql of ['INSERT INTO t (n) VALUES (2)', 'COMMIT']) await lane.run(sql, []);
    expect(rows()).toEqual([2]);
    expect(lane.isOpen).toBe(true);
  });
});
