import { beforeEach, describe, expect, it } from '@jest/globals';
import { BodySizes, PAGE_BYTES, readFitting, type SizedRow } from './fitting-rows.js';

const MEGABYTE = 1024 * 1024;
const OF_A_PAGE = 1_000;

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
  const fitting = await readFitting({ largeBytes: Infinity }, limit, { sizes, place: 'a' }, fetch);
  expect(fitting.rows.every(({ body }) => body !== null)).toBe(true);
  return [fitting.rows.length, fitting.limit];
}

describe('rows are read as many as fit', () => {
  it('ordinary ones by one statement, of a limit up to a hundred', async () => {
    table = Array.from({ length: 2_000 }, () => 1_000);
    expect(await read(100)).toEqual([100, 100]);
    expect(asked).toEqual([100]);
  });

  it('ordinary ones of a larger limit by two, and by one once something is known of the place', async () => {
    table = Array.from({ length: 2_000 }, () => 1_000);
    expect([await read(1_000), await read(1_000)]).toEqual(Array.from({ length: 2 }, () => [1_000, 1_000]));
    expect(asked).toEqual([100, 1_000, 1_000]);
  });

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

  it('few at first, after a statement that took too long', async () => {
    table = Array.from({ length: 2_000 }, () => 1_000);
    await read(1_000);
    meanwhile = () => {
      throw new Error('too long');
    };
    await expect(
      readFitting({ largeBytes: Infinity }, 1_000, { sizes, place: 'a' }, async (limit, largest) =>
        fetch(limit, largest),
      ),
    ).rejects.toThrow();
    meanwhile = () => undefined;
    asked = [];
    await read(1_000);
    expect(asked).toEqual([100, 1_000]);
  });
});

describe('how many rows are looked at', () => {
  it('is a hundred where nothing is known, and never more than are wanted', () => {
    expect([sizes.rowsAt('a', OF_A_PAGE), sizes.rowsAt('a', 7)]).toEqual([100, 7]);
  });

  it('is all of a page where bodies are small', () => {
    sizes.note('a', [1_000, 3_000]);
    expect(sizes.rowsAt('a', OF_A_PAGE)).toBe(OF_A_PAGE);
    expect(sizes.rowsAt('b', OF_A_PAGE)).toBe(100);
  });

  it('is few where they are large, and one at least', () => {
    sizes.note('a', [MEGABYTE, MEGABYTE]);
    expect(sizes.rowsAt('a', OF_A_PAGE)).toBe(31);
    sizes.note('a', [MEGABYTE * OF_A_PAGE]);
    expect(sizes.rowsAt('a', OF_A_PAGE)).toBe(1);
  });

  it('stays where nothing was found, and is not known any more once it is forgotten', () => {
    sizes.note('a', [1_000]);
    sizes.note('a', []);
    expect(sizes.rowsAt('a', OF_A_PAGE)).toBe(OF_A_PAGE);
    sizes.forget('a');
    expect(sizes.rowsAt('a', OF_A_PAGE)).toBe(100);
  });
});

it('to know nothing takes no memory: each page of a search knows the sizes of its own alone', () => {
  const usedBefore = usedBytes();
  const all = Array.from({ length: 200 }, () => new BodySizes());
  expect(usedBytes() - usedBefore).toBeLessThan(all.length * 20_000);
});

function usedBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
