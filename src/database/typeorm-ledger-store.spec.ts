import { describe, expect, it } from '@jest/globals';
import { OutcomeUnknownError, RetryableError } from '../ledger/ledger-store.js';
import type { Database } from './database.js';
import { DeadlineError } from './deadline.js';
import { MysqlDialect } from './dialects/mysql.dialect.js';
import type { Session } from './session.js';
import { TypeOrmLedgerStore } from './typeorm-ledger-store.js';
import { WriteBreaker } from './write-breaker.js';

/** A store whose server fails at COMMIT. */
function failingAtCommit(error: Error): TypeOrmLedgerStore {
  const dialect = new MysqlDialect();
  const session: Partial<Session> = {
    execute: (sql) => (sql === 'COMMIT' ? Promise.reject(error) : Promise.resolve({})),
    release: () => undefined,
    destroy: () => undefined,
  };
  const database: Partial<Database> = {
    dialect,
    ready: () => Promise.resolve(),
    writerSession: () => Promise.resolve(session as Session),
    writes: new WriteBreaker(),
    takeWrite: (failure) => dialect.failureOf(failure),
  };
  return new TypeOrmLedgerStore(database as Database);
}

describe('a failure at COMMIT', () => {
  it.each([
    ['a deadlock, or a certification that failed', { errno: 1213 }, RetryableError],
    ['a lock wait', { errno: 1205 }, RetryableError],
    ['a group that refused it', { errno: 3101 }, RetryableError],
    ['a node outside of its cluster', { errno: 1047 }, OutcomeUnknownError],
    ['a connection that died', { code: 'ECONNRESET' }, OutcomeUnknownError],
    ['a statement that was killed', { errno: 1317 }, OutcomeUnknownError],
    ['a server that shuts down', { errno: 1053 }, OutcomeUnknownError],
    ['something that nobody foresaw', { errno: 9999 }, OutcomeUnknownError],
  ])('that is %s is taken for no more than it says', async (_, error, kind) => {
    const transaction = await failingAtCommit(Object.assign(new Error('x'), error)).begin();
    await expect(transaction.commit()).rejects.toThrow(kind);
  });

  it('that is no answer in time leaves the outcome unknown', async () => {
    const transaction = await failingAtCommit(new DeadlineError('late')).begin();
    await expect(transaction.commit()).rejects.toThrow(OutcomeUnknownError);
  });
});
