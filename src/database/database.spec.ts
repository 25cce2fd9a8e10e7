import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { logger } from '../logging/logger.js';
import { Database } from './database.js';
import { DeadlineError } from './deadline.js';
import { MysqlDialect } from './dialects/mysql/mysql.dialect.js';
import type { Watch } from './watch.js';

const NONE = {} as DataSource;

/** A database whose server answers a look, or does not. */
function databaseWith(ready: () => Promise<void>): Database {
  const watch = { doubt: () => undefined, ready, host: { host: 'db', port: 3306 } } as Partial<Watch> as Watch;
  return new Database(NONE, NONE, { dialect: new MysqlDialect(), lock: undefined, hosts: undefined, watch });
}

describe('a write that is not answered in time', () => {
  beforeEach(() => {
    logger.level = 'silent';
  });

  it('keeps others away where the server answers all the same, as one does whose log waits for room', async () => {
    const database = databaseWith(() => Promise.resolve());
    expect(database.judgeWrite(new DeadlineError())).toBe('lost');
    await new Promise(setImmediate);
    expect(database.writes.isOpen).toBe(true);
    expect(database.writes.refusal).toBe('it does not answer in time');
  });

  it('says nothing about writes where the server is away', async () => {
    const database = databaseWith(() => Promise.reject(new Error('away')));
    database.judgeWrite(new DeadlineError());
    await new Promise(setImmediate);
    expect(database.writes.isOpen).toBe(false);
  });
});
