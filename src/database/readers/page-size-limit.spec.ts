import { beforeEach, describe, expect, it } from '@jest/globals';
import { PAGE_BYTES, readWithinLimit, type SizedRow } from './page-size-limit.js';

const MEGABYTE = 1024 * 1024;

/** Sizes of the table's bodies. */
let table: number[];
/** Rows requested by each statement. */
let asked: number[];
/** Bytes read by each statement. */
let read: number[];
/** Runs after each statement. */
let meanwhile: () => void;

beforeEach(() => {
  asked = [];
  read = [];
  meanwhile = () => undefined;
});

function fetch(limit: number, largest: number): Promise<{ rows: SizedRow[] }> {
  asked.push(limit);
  const sizes = table.slice(0, limit);
  read.push(sizes.reduce((sum, bytes) => (bytes <= largest ? sum + bytes : sum), 0));
  const rows = sizes.map((bytes, i) => {
    const body = bytes <= largest ? Buffer.alloc(0) : null;
    return { id: String(i), body, createdUs: 1, bytes } as SizedRow;
  });
  meanwhile();
  return Promise.resolve({ rows });
}

async function readSome(limit: number): Promise<[rows: number, limit: number]> {
  const fitting = await readWithinLimit(limit, fetch);
  expect(fitting.rows.every(({ body }) => body !== null)).toBe(true);
  return [fitting.rows.length, fitting.limit];
}

describe('rows of a page', () => {
  it('are all that exist, if fewer than requested', async () => {
    table = [10, 10, 10];
    expect(await readSome(1_000)).toEqual([3, 1_000]);
    table = [MEGABYTE, 10, 10];
    expect(await readSome(1_000)).toEqual([3, 3]);
  });

  it('are as many as requested, by a second statement if the first hundred fit', async () => {
    table = Array.from({ length: 1_200 }, () => 1_000);
    expect(await readSome(100)).toEqual([100, 100]);
    expect(await readSome(1_000)).toEqual([1_000, 1_000]);
    expect(asked).toEqual([100, 100, 1_000]);
  });

  it('end at the size limit if they are large', async () => {
    table = Array.from({ length: 600 }, () => MEGABYTE);
    expect(await readSome(600)).toEqual([2, 2]);
    expect(asked).toEqual([100, 2]);
    expect(read).toEqual([0, 2 * MEGABYTE]);
  });

  it('end before a large one, by one statement', async () => {
    table = [...Array.from({ length: 50 }, () => 40_000), ...Array.from({ length: 50 }, () => MEGABYTE)];
    const bytes = 50 * 40_000;
    expect(bytes).toBeLessThan(PAGE_BYTES);
    expect(await readSome(100)).toEqual([50, 50]);
    expect(asked).toEqual([100]);
  });

  it('are never more than two pages in one statement', async () => {
    for (const size of [1_000, 4_000, 5_000, 20_000, 40_000, 41_943, 200_000, MEGABYTE]) {
      table = Array.from({ length: 1_000 }, () => size);
      for (const limit of [1, 100, 1_000]) await readSome(limit);
    }
    expect(Math.max(...read)).toBeLessThanOrEqual(2 * PAGE_BYTES);
  });

  it('are at least one', async () => {
    table = [2 * PAGE_BYTES, 1];
    expect(await readSome(10)).toEqual([1, 1]);
  });

  it('stay within the limit if bodies grow between the statements', async () => {
    table = Array.from({ length: 10 }, () => MEGABYTE);
    meanwhile = () => (table = Array.from({ length: 10 }, () => 2 * MEGABYTE));
    expect(await readSome(10)).toEqual([1, 1]);
  });
});
