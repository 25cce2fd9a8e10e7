import { describe, expect, it } from '@jest/globals';
import type { Dialect } from '../dialects/dialect.js';
import type { Session } from '../connections/session.js';
import { appendToLog, keepCheckpoint, type LogAppend } from './log-append.js';

const DIALECT = { sql: { forUpdateSkipLocked: 'FOR UPDATE SKIP LOCKED' } } as Dialect;
const ENTRY = { place: 7, asset: 'a', createdUs: 1, modifiedUs: 2, commitment: null, opening: '{}' };
const APPEND: LogAppend = { size: 7, entries: [ENTRY], nodes: [], untilUs: 2, readUs: 2 };

const signed = (): string => 'signed';

/** @param size of the log whose head it is; undefined where another holds it @param erasedUs when something was erased last @returns what was written */
function sessionAt(
  size: number | undefined,
  erasedUs = 0,
): { session: Session; asked: string[]; written: unknown[][]; ways: () => number } {
  const [asked, written]: [string[], unknown[][]] = [[], []];
  let ways = 0;
  const session = {
    together: (begin: () => Promise<unknown>[]) => {
      ways++;
      return Promise.all(begin());
    },
    query: (sql: string, [us]: bigint[] = []) => {
      asked.push(sql);
      if (us === undefined) return Promise.resolve(size === undefined ? [] : [{ size, checkpoint: 'kept' }]);
      return Promise.resolve(erasedUs > us ? [{ us: erasedUs }] : []);
    },
    insertRows: (_: unknown, rows: unknown[]) => Promise.resolve(void written.push(rows)),
    execute: (_: string, values: unknown[]) => Promise.resolve(void written.push(values)),
  };
  return { session: session as unknown as Session, asked, written, ways: () => ways };
}

describe('what is written of the log', () => {
  it('is appended to the head that it was made for, whose row is locked', async () => {
    const { session, asked, written, ways } = sessionAt(7);
    expect(await appendToLog(session, DIALECT, APPEND)).toBe(true);
    expect(ways()).toBe(2);
    expect(asked).toEqual([
      expect.stringMatching(/log_head .*FOR UPDATE SKIP LOCKED$/),
      expect.stringContaining('FROM redaction'),
    ]);
    expect(written.at(-1)).toEqual([8n, 2n]);
  });

  it.each([6, 8])('is not appended to another one of %i entries', async (size) => {
    const { session, written } = sessionAt(size);
    expect(await appendToLog(session, DIALECT, APPEND)).toBe(false);
    expect(written).toEqual([]);
  });

  it('is nothing where another holds the head, and nobody waits for it', async () => {
    const { session, written } = sessionAt(undefined);
    expect(await appendToLog(session, DIALECT, APPEND)).toBe(false);
    expect(await keepCheckpoint(session, DIALECT, 7, signed)).toBe(false);
    expect(written).toEqual([]);
  });

  it.each([
    [2, true],
    [3, false],
  ])('is not made of states that had what was erased since: %i', async (erasedUs, isAppended) => {
    const { session, written } = sessionAt(7, erasedUs);
    expect(await appendToLog(session, DIALECT, APPEND)).toBe(isAppended);
    expect(written.length > 0).toBe(isAppended);
  });

  it('is a checkpoint only while there is nothing newer', async () => {
    const here = sessionAt(7);
    expect(await keepCheckpoint(here.session, DIALECT, 7, (kept) => `signed, not ${kept}`)).toBe(true);
    expect(here.written).toEqual([['signed, not kept']]);
    const grown = sessionAt(8);
    expect(await keepCheckpoint(grown.session, DIALECT, 7, signed)).toBe(false);
    expect(grown.written).toEqual([]);
  });
});
