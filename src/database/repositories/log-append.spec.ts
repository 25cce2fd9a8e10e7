import { describe, expect, it } from '@jest/globals';
import type { Dialect } from '../dialects/dialect.js';
import type { Session } from '../connections/session.js';
import { appendToLog, saveCheckpoint, type LogAppend } from './log-append.js';

const DIALECT = { sql: { forUpdateSkipLocked: 'FOR UPDATE SKIP LOCKED' } } as Dialect;
const ENTRY = { place: 7, asset: 'a', createdUs: 1, modifiedUs: 2, commitment: null, opening: '{}' };
const APPEND: LogAppend = { size: 7, entries: [ENTRY], nodes: [], untilUs: 2, readUs: 2 };

const signed = (): string => 'signed';

/** @param size of the log; undefined if its head is locked @param erasedUs instant of the last erasure */
function sessionAt(
  size: number | undefined,
  erasedUs = 0,
): { session: Session; queries: string[]; written: unknown[][]; roundTrips: () => number } {
  const [queries, written]: [string[], unknown[][]] = [[], []];
  let trips = 0;
  const session = {
    together: (begin: () => Promise<unknown>[]) => {
      trips++;
      return Promise.all(begin());
    },
    query: (sql: string, [us]: bigint[] = []) => {
      queries.push(sql);
      if (us === undefined) return Promise.resolve(size === undefined ? [] : [{ size, checkpoint: 'kept' }]);
      return Promise.resolve(erasedUs > us ? [{ us: erasedUs }] : []);
    },
    insertRows: (_: unknown, rows: unknown[]) => Promise.resolve(void written.push(rows)),
    execute: (_: string, values: unknown[]) => Promise.resolve(void written.push(values)),
  };
  return { session: session as unknown as Session, queries, written, roundTrips: () => trips };
}

describe('an append to the log', () => {
  it('is written if the log has the expected size, with its head locked', async () => {
    const { session, queries, written, roundTrips } = sessionAt(7);
    expect(await appendToLog(session, DIALECT, APPEND)).toBe(true);
    expect(roundTrips()).toBe(2);
    expect(queries).toEqual([
      expect.stringMatching(/log_head .*FOR UPDATE SKIP LOCKED$/),
      expect.stringContaining('FROM redaction'),
    ]);
    expect(written.at(-1)).toEqual([8n, 2n]);
  });

  it.each([6, 8])('is not written to a log of another size: %i', async (size) => {
    const { session, written } = sessionAt(size);
    expect(await appendToLog(session, DIALECT, APPEND)).toBe(false);
    expect(written).toEqual([]);
  });

  it('is not written if the head is locked, without waiting', async () => {
    const { session, written } = sessionAt(undefined);
    expect(await appendToLog(session, DIALECT, APPEND)).toBe(false);
    expect(await saveCheckpoint(session, DIALECT, 7, signed)).toBe(false);
    expect(written).toEqual([]);
  });

  it.each([
    [2, true],
    [3, false],
  ])('is not written if a field was erased after the states were read: %i', async (erasedUs, isAppended) => {
    const { session, written } = sessionAt(7, erasedUs);
    expect(await appendToLog(session, DIALECT, APPEND)).toBe(isAppended);
    expect(written.length > 0).toBe(isAppended);
  });

  it('gets a checkpoint only if the log has not grown', async () => {
    const here = sessionAt(7);
    expect(await saveCheckpoint(here.session, DIALECT, 7, (kept) => `signed, not ${kept}`)).toBe(true);
    expect(here.written).toEqual([['signed, not kept']]);
    const grown = sessionAt(8);
    expect(await saveCheckpoint(grown.session, DIALECT, 7, signed)).toBe(false);
    expect(grown.written).toEqual([]);
  });
});
