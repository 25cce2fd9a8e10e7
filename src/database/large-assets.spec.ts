import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Database } from './database.js';
import { SqliteDialect } from './dialects/sqlite/sqlite.dialect.js';
import { RevisionReader } from './revision-reader.js';

/*
 * Each asset may have a megabyte, and a file is read within the event loop: what is asked for together is read in several turns of it.
 */

const id = (i: number): string => i.toString(16).padStart(32, '0');

/** A file that has nothing. */
class AskedFile {
  readonly dialect = new SqliteDialect('none');
  /** Of each statement the values that it was given. */
  readonly asked: unknown[][] = [];

  read(_sql: string, values: readonly unknown[] = []): Promise<object[]> {
    this.asked.push([...values]);
    return Promise.resolve([]);
  }
}

/** @returns how many statements were run in each turn, until all were */
async function statementsInTurns(file: AskedFile, work: Promise<unknown>): Promise<number[]> {
  let [isOver, before] = [false, 0];
  void work.finally(() => (isOver = true));
  const counts: number[] = [];
  while (!isOver) {
    await turn();
    counts.push(file.asked.length - before);
    before = file.asked.length;
  }
  return counts;
}

describe('what is asked of a file together', () => {
  it('is put together of earlier states, one asset in a turn', async () => {
    const file = new AskedFile();
    const reader = new RevisionReader(file as unknown as Database);
    const counts = await statementsInTurns(file, Promise.all([1, 2, 3].map((us) => reader.at(id(1), us))));
    expect(counts.filter((count) => count > 0)).toEqual([1, 1, 1]);
  });

  it('is not put together for who has gone meanwhile', async () => {
    const file = new AskedFile();
    const reader = new RevisionReader(file as unknown as Database);
    const asked = [reader.at(id(1), 1), reader.at(id(1), 2, { isGone: () => true }), reader.at(id(1), 3)];
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(file.asked).toHaveLength(2);
  });
});
