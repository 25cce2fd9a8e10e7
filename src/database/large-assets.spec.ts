import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { AssetReader } from './asset-reader.js';
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
  it('is put together of earlier states, one asset in a turn, where that takes long', async () => {
    let nowMs = performance.now();
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 5));
    const file = new AskedFile();
    const reader = new RevisionReader(file as unknown as Database);
    const counts = await statementsInTurns(file, Promise.all([1, 2, 3].map((us) => reader.at(id(1), us))));
    clock.mockRestore();
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

/** A file with small assets and one large one, which is read for as long as the test likes. */
class FileWithLarge {
  readonly dialect = new SqliteDialect('none');
  /** Bodies of how many bytes each statement may read. */
  readonly asked: number[] = [];
  private readonly ends: (() => void)[] = [];

  async read(_sql: string, values: readonly unknown[], largest = 0): Promise<object[]> {
    this.asked.push(largest);
    if (largest > this.dialect.largeBytes) await new Promise<void>((resolve) => this.ends.push(resolve));
    return [...new Set(values)].map((one) => {
      const isHere = one !== LARGE || largest > this.dialect.largeBytes;
      return { id: one, assetId: one, body: isHere ? Buffer.from('{}') : null };
    });
  }

  endReading(): void {
    this.ends.shift()?.();
  }
}

const LARGE = 'large';

describe('a single asset with a large body', () => {
  it.each(['find', 'findListed'] as const)('is not waited for by small ones that come with it (%s)', async (find) => {
    const file = new FileWithLarge();
    const reader = new AssetReader(file as unknown as Database);
    let isOver = false;
    const large = reader[find](LARGE).finally(() => (isOver = true));
    const small = await Promise.all([reader[find]('a'), reader[find]('b')]);
    expect([small.map((asset) => asset?.id), isOver]).toEqual([['a', 'b'], false]);
    while (file.asked.length < 2) await turn();
    expect((await reader[find]('c'))?.id).toBe('c');
    file.endReading();
    expect((await large)?.id).toBe(LARGE);
    expect(file.asked).toEqual([0, Infinity, 0]);
  });

  it('is read with few others and beside the event loop to decide on it', async () => {
    const file = new FileWithLarge();
    const reader = new AssetReader(file as unknown as Database);
    const ids = [LARGE, ...Array.from({ length: 8 }, (_, i) => id(i))];
    const rows = Promise.all(ids.map((one) => reader.findRow(one)));
    for (let i = 0; i < 20; i++) await turn();
    expect(file.asked).toEqual([Infinity, Infinity]);
    file.endReading();
    file.endReading();
    expect((await rows).map((row) => row?.id)).toEqual(ids);
  });

  it('is read beside the event loop one after the other', async () => {
    const file = new FileWithLarge();
    const reader = new AssetReader(file as unknown as Database);
    const all = Promise.all([reader.find(LARGE), reader.find(LARGE)]);
    while (file.asked.length < 2) await turn();
    await reader.find('a');
    expect(file.asked.filter((largest) => largest > 0)).toHaveLength(1);
    file.endReading();
    while (file.asked.length < 4) await turn();
    file.endReading();
    expect(await all).toHaveLength(2);
  });
});
