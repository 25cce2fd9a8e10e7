import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { logger } from '../platform/logging/logger.js';
import { Database } from './database.js';
import { DeadlineError } from './connections/deadline.js';
import { MysqlDialect } from './dialects/mysql/mysql.dialect.js';
import type { HostMonitor } from './connections/host-monitor.js';
import { Hosts } from './connections/hosts.js';

const NONE = {} as DataSource;

/** @param ready the host check: resolves if the server answers */
function databaseWith(ready: () => Promise<void>): Database {
  const monitor = {
    doubt: () => undefined,
    ready,
    hosts: new Hosts([{ host: 'db', port: 3306 }]),
  } as Partial<HostMonitor> as HostMonitor;
  return new Database(NONE, NONE, { dialect: new MysqlDialect(), lock: undefined, monitor });
}

describe('a write that times out', () => {
  beforeEach(() => {
    logger.level = 'silent';
  });

  it('opens the breaker if the server still answers, as one does whose full disk blocks its log', async () => {
    const database = databaseWith(() => Promise.resolve());
    expect(database.judgeWrite(new DeadlineError())).toBe('lost');
    await new Promise(setImmediate);
    expect(database.writes.isOpen).toBe(true);
    expect(database.writes.refusal).toBe('it does not answer in time');
  });

  it('leaves the breaker closed if the server is down', async () => {
    const database = databaseWith(() => Promise.reject(new Error('away')));
    database.judgeWrite(new DeadlineError());
    await new Promise(setImmediate);
    expect(database.writes.isOpen).toBe(false);
  });
});

describe('a read that waits for a connection', () => {
  const run = jest.fn(async () => [{ one: 1 }]);
  const release = jest.fn();
  let database: Database;
  let waitMs: number;

  beforeEach(() => {
    run.mockClear();
    release.mockClear();
    let nowMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    const connect = async () => {
      nowMs += waitMs;
      return { run, release };
    };
    const dialect = Object.assign(new MysqlDialect(), { connect, prepare: async () => undefined });
    database = new Database(NONE, NONE, { dialect, lock: undefined, monitor: undefined });
    Object.assign(database, { opened: true });
  });
  afterEach(() => void jest.restoreAllMocks());

  it('runs if it got one within 2.5 s', async () => {
    waitMs = 2_500;
    expect(await database.read('SELECT 1')).toEqual([{ one: 1 }]);
    expect(release).toHaveBeenCalledTimes(1);
  });

  it('is refused after 2.5 s, and releases the connection it got', async () => {
    waitMs = 2_501;
    await expect(database.read('SELECT 1')).rejects.toMatchObject({ status: 503 });
    expect([run, release].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
  });
});

describe('a read without the right to the table', () => {
  it('is 503 at once, and not counted as an outage', async () => {
    logger.level = 'silent';
    const doubt = jest.fn();
    const monitor = { doubt, ready: () => Promise.resolve() } as Partial<HostMonitor> as HostMonitor;
    const denied = Object.assign(new Error('SELECT command denied'), { errno: 1142 });
    const run = jest.fn(() => Promise.reject(denied));
    const connect = async () => ({ run, release: () => undefined });
    const dialect = Object.assign(new MysqlDialect(), { connect, prepare: async () => undefined });
    const database = new Database(NONE, NONE, { dialect, lock: undefined, monitor });
    Object.assign(database, { opened: true });
    await expect(database.read('SELECT 1')).rejects.toMatchObject({ status: 503 });
    expect([run.mock.calls.length, doubt.mock.calls.length, database.timesLost()]).toEqual([1, 0, 0]);
  });
});
