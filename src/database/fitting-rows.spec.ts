import { beforeEach, describe, expect, it } from '@jest/globals';
import { BodySizes, PAGE_BYTES, readFitting, type SizedRow } from './fitting-rows.js';

const MEGABYTE = 1024 * 1024;

let sizes: BodySizes;
/** Of the table's bodies. */
let table: number[];
/** The rows that each statement asked for. */
let asked: number[];
/** What is done after each statement. */
let meanwhile: () => void;

beforeEach(() => {
  sizes = new BodySizes();
  asked = [];
  meanwhile = () => undefined;
});

function fetch(limit: number, largest: number): Promise<{ rows: SizedRow[] }> {
  asked.push(limit);
  const rows = table.slice(0, limit).map((bytes, i) => {
    const body = bytes <= largest ? Buffer.alloc(0) : null;
    return { id: String(i), body, createdUs: 1, bytes } as SizedRow;
  });
  meanwhile();
  return Promise.resolve({ rows });
}

async function read(limit: number): Promise<[rows: number, limit: number]> {
  const fitting = await readFitting(limit, { sizes, place: 'a' }, fetch);
  expect(fitting.rows.every(({ body }) => body !== null)).toBe(true);
  return [fitting.rows.length, fitting.limit];
}

describe('rows are read as many as fit', () => {
  it('all that there are, which are fewer than were asked for', async () => {
    table = [10, 10, 10];
    expect(await read(1_000)).toEqual([3, 1_000]);
    table = [MEGABYTE, 10, 10];
    expect(await read(1_000)).toEqual([3, 3]);
  });

  it('large ones up to the bound, of which few are looked at once they are known', async () => {
    table = Array.from({ length: 600 }, () => MEGABYTE);
    expect([await read(600), await read(600)]).toEqual(Array.from({ length: 2 }, () => [2, 2]));
    expect(asked).toEqual([100, 2, 31, 2]);
  });

  it('small ones before a large one by one statement', async () => {
    table = [...Array.from({ length: 50 }, () => 40_000), ...Array.from({ length: 50 }, () => MEGABYTE)];
    const bytes = 50 * 40_000;
    expect(bytes).toBeLessThan(PAGE_BYTES);
    expect(await read(100)).toEqual([50, 50]);
    expect(asked).toEqual([100]);
  });

  it('one in any case', async () => {
    table = [2 * PAGE_BYTES, 1];
    expect(await read(10)).toEqual([1, 1]);
  });

  it('those that have grown since they were looked at not beyond the bound', async () => {
    table = Array.from({ length: 10 }, () => MEGABYTE);
    meanwhile = () => (table = Array.from({ length: 10 }, () => 2 * MEGABYTE));
    expect(await read(10)).toEqual([1, 1]);
  });
});
