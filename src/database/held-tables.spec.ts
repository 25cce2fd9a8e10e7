import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { logger } from '../logging/logger.js';
import { StatementError } from './dialects/dialect.js';
import { HeldTables, TableHeldError, type TableState } from './held-tables.js';

const CHANGE = 'INSERT INTO asset_sequence (day) VALUES (?)\n ON DUPLICATE KEY UPDATE last_number = 1';
const LOCK = 'SELECT id FROM asset WHERE id IN (?) FOR UPDATE SKIP LOCKED';
const CLOCK = 'SELECT 1 FROM feed_clock WHERE 1 = 0 FOR UPDATE';
const READ = 'SELECT 1 FROM api_key JOIN account ON account.id = api_key.account_id UNION ALL SELECT 0 FROM asset';

const waitedInVain = (sql: string): Error =>
  new StatementError(Object.assign(new Error('lock wait'), { errno: 1205, sql }));

describe('tables that somebody holds', () => {
  let looks: string[];
  let held: string[];
  let isSilent: boolean;
  let tables: HeldTables;
  const refused = (sql: string): Promise<boolean> =>
    (tables.verdictOn(sql) ?? Promise.resolve()).then(
      () => false,
      (error: unknown) => {
        expect(error).toBeInstanceOf(TableHeldError);
        return true;
      },
    );

  beforeEach(() => {
    logger.level = 'silent';
    jest.useFakeTimers();
    [looks, held, isSilent] = [[], [], false];
    tables = new HeldTables((look) => {
      looks.push(look);
      if (isSilent) return Promise.resolve('unknown');
      return Promise.resolve(held.some((table) => look.includes(`FROM ${table} `)) ? 'held' : 'free');
    });
  });
  afterEach(() => void jest.useRealTimers());

  it.each([
    [CHANGE, ['INSERT INTO asset_sequence SELECT * FROM asset_sequence WHERE 1 = 0']],
    [LOCK, ['SELECT 1 FROM asset WHERE 1 = 0 FOR UPDATE']],
    ['UPDATE feed_clock SET last_us = 1', ['SELECT 1 FROM feed_clock WHERE 1 = 0 FOR UPDATE']],
    ['DELETE FROM receipt WHERE id IN (?)', ['SELECT 1 FROM receipt WHERE 1 = 0 FOR UPDATE']],
    [READ, ['api_key', 'account', 'asset'].map((table) => `SELECT 1 FROM ${table} WHERE 1 = 0`)],
    ['COMMIT', []],
  ])('are each looked at as a statement needs them, and what every change needs: %s', (sql, expected) => {
    tables.suspect(waitedInVain(sql));
    tables.suspect(waitedInVain(sql));
    expect(looks).toEqual([...new Set([...expected, CLOCK])]);
  });

  it('hold up all changes where the clock is one of them, whatever statement has waited in vain', async () => {
    held = ['asset', 'feed_clock'];
    tables.suspect(waitedInVain(LOCK));
    await expect(tables.settled()).rejects.toThrow(TableHeldError);
    held = ['asset'];
    await jest.advanceTimersByTimeAsync(500);
    await tables.settled();
    expect(await refused(LOCK)).toBe(true);
  });

  it('refuse what needs one of them, and nothing else, until they are free', async () => {
    held = ['account'];
    tables.suspect(waitedInVain(READ));
    await tables.settled();
    expect(await Promise.all([READ, 'SELECT name FROM account', LOCK, CHANGE].map(refused))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(tables.why).toBe('somebody holds its tables (account)');
    await jest.advanceTimersByTimeAsync(5_000);
    expect(await refused(READ)).toBe(true);
    held = [];
    await jest.advanceTimersByTimeAsync(500);
    expect([await refused(READ), tables.why]).toEqual([false, undefined]);
    const asked = looks.length;
    await jest.advanceTimersByTimeAsync(5_000);
    expect(looks).toHaveLength(asked);
  });

  describe('that are looked at without an answer', () => {
    beforeEach(async () => {
      held = ['account'];
      tables.suspect(waitedInVain(READ));
      await tables.settled();
      [held, isSilent] = [[], true];
      await jest.advanceTimersByTimeAsync(5_000);
    });

    it('are not free because of that', async () => {
      expect([await refused(READ), tables.why]).toEqual([true, 'somebody holds its tables (account)']);
      isSilent = false;
      await jest.advanceTimersByTimeAsync(500);
      expect([await refused(READ), tables.why]).toEqual([false, undefined]);
    });

    it('are not held for ever: a statement finds out', async () => {
      await jest.advanceTimersByTimeAsync(5_000);
      expect([await refused(READ), tables.why]).toEqual([false, undefined]);
    });
  });

  it('are not held because a look at them is not answered: a statement of those that need them tries', async () => {
    isSilent = true;
    tables.suspect(waitedInVain(READ));
    await tables.settled();
    expect([tables.verdictOn(READ), tables.why]).toEqual([undefined, undefined]);
  });

  it('are nothing that other errors tell of', () => {
    tables.suspect(new StatementError(Object.assign(new Error('full'), { errno: 1114, sql: LOCK })));
    tables.suspect(new Error('a defect'));
    expect(looks).toEqual([]);
  });

  it('are not those in which only rows are held', async () => {
    tables.suspect(waitedInVain(LOCK));
    await tables.settled();
    expect([tables.verdictOn(LOCK), tables.why]).toEqual([undefined, undefined]);
  });

  it('are waited for while nobody knows whether they are held', async () => {
    let tell: (state: TableState) => void = () => undefined;
    const told = new Promise<TableState>((resolve) => (tell = resolve));
    tables = new HeldTables(() => told);
    tables.suspect(waitedInVain(LOCK));
    const verdict = refused(LOCK);
    tell('held');
    expect(await verdict).toBe(true);
  });
});
