import { describe, expect, it } from '@jest/globals';
import { OutcomeUnknownError, RetryableError } from './ledger-store.js';
import type { Database } from '../../database/database.js';
import type { Dialect } from '../../database/dialects/dialect.js';
import { MysqlDialect } from '../../database/dialects/mysql/mysql.dialect.js';
import type { Session } from '../../database/connections/session.js';
import { SqlLedgerStore } from './sql-ledger-store.js';
import { DeadlineError } from '../../database/connections/deadline.js';
import { WriteBreaker } from '../../database/connections/write-breaker.js';

/** A store whose server fails at COMMIT. */
function failingAtCommit(error: Error): SqlLedgerStore {
  const dialect = new MysqlDialect();
  const session: Partial<Session> = {
    execute: (sql) => (sql === 'COMMIT' ? Promise.reject(error) : Promise.resolve({})),
    canPipeline: () => Promise.resolve(true),
    destroy: () => undefined,
  };
  return storeOf(dialect, () => session as Session);
}

function storeOf(dialect: Dialect, connect: () => Session): SqlLedgerStore {
  const database: Partial<Database> = {
    dialect,
    ready: () => Promise.resolve(),
    laneSession: () => Promise.resolve(connect()),
    writes: new WriteBreaker(),
    judgeWrite: (failure) => dialect.classifyFailure(failure),
  };
  return new SqlLedgerStore(database as Database);
}

const SEVERAL = 'several statements at once';

/** A store and its connections, with the statements that they executed; `broken` statements fail. */
function connecting(dialect: Dialect, ...broken: string[]) {
  const connections: { executed: string[]; isOpen: boolean }[] = [];
  const store = storeOf(dialect, () => {
    const connection = {
      executed: [] as string[],
      isOpen: true,
      execute: (sql: string) => {
        connection.executed.push(sql);
        return broken.includes(sql) ? Promise.reject(new Error(sql)) : Promise.resolve({});
      },
      canPipeline: () => Promise.resolve(!broken.includes(SEVERAL)),
      destroy: () => (connection.isOpen = false),
    };
    connections.push(connection);
    return connection as unknown as Session;
  });
  return { store, connections };
}

describe('the lane’s connection', () => {
  it('serves one transaction after another, which begin implicitly', async () => {
    const { store, connections } = connecting(new MysqlDialect());
    await (await store.begin()).commit();
    await (await store.begin()).rollback();
    await (await store.begin()).commit();
    expect(connections.map(({ executed }) => executed)).toEqual([['COMMIT', 'ROLLBACK', 'COMMIT']]);
  });

  it('is replaced if it broke on pipelined statements', async () => {
    const { store, connections } = connecting(new MysqlDialect(), SEVERAL);
    await (await store.begin()).commit();
    expect(connections).toEqual([
      expect.objectContaining({ isOpen: false, executed: [] }),
      expect.objectContaining({ isOpen: true, executed: ['COMMIT'] }),
    ]);
  });

  it('is replaced if it was closed meanwhile', async () => {
    const { store, connections } = connecting(new MysqlDialect());
    await (await store.begin()).commit();
    (connections[0] as { isOpen: boolean }).isOpen = false;
    await (await store.begin()).commit();
    expect(connections.map(({ executed }) => executed.at(-1))).toEqual(['COMMIT', 'COMMIT']);
  });

  it('is closed if it does not roll back', async () => {
    const { store, connections } = connecting(new MysqlDialect(), 'ROLLBACK');
    await (await store.begin()).rollback();
    await store.begin();
    expect(connections.map(({ isOpen }) => isOpen)).toEqual([false, true]);
  });
});

describe('a failure at COMMIT', () => {
  it.each([
    ['a deadlock, or a certification that failed', { errno: 1213 }, RetryableError],
    ['a password that has expired', { errno: 1820 }, RetryableError],
    ['a node outside of its cluster', { errno: 1047 }, OutcomeUnknownError],
    ['a connection that died', { code: 'ECONNRESET' }, OutcomeUnknownError],
    ['an unexpected error', { errno: 9999 }, OutcomeUnknownError],
  ])('that is %s counts as a rollback only if that is certain', async (_, error, kind) => {
    const transaction = await failingAtCommit(Object.assign(new Error('x'), error)).begin();
    await expect(transaction.commit()).rejects.toThrow(kind);
  });

  it('by a time-out leaves the outcome unknown', async () => {
    const transaction = await failingAtCommit(new DeadlineError('late')).begin();
    await expect(transaction.commit()).rejects.toThrow(OutcomeUnknownError);
  });
});
