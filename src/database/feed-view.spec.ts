import { expect, it, jest } from '@jest/globals';
import type { CopiedDatabase } from './copy/copied-database.js';
import type { Dialect } from './dialects/dialect.js';
import { SqliteDialect } from './dialects/sqlite/sqlite.dialect.js';
import { FeedView } from './feed-view.js';

const KILOBYTE = 1_024;

/** How many bytes of bodies a view of such assets gives at a time, and how many rows one of its statements read at most, and all of them. */
async function readOf(
  sizes: readonly number[],
  dialect: Dialect = new SqliteDialect('none'),
): Promise<{ portions: number[]; mostRows: number; rows: number }> {
  const query = jest.fn((_: string, [largest, , afterUs, limit]: readonly bigint[]) => {
    const rows = sizes.map((bytes, i) => ({ id: `${i}`, modifiedUs: i + 1, bytes, createdUs: 1 }));
    const wanted = rows.filter(({ modifiedUs }) => modifiedUs > Number(afterUs)).slice(0, Number(limit));
    return Promise.resolve(
      wanted.map((row) => ({ ...row, body: row.bytes <= Number(largest) ? Buffer.alloc(row.bytes) : null })),
    );
  });
  const database = { dialect, session: { query } } as unknown as CopiedDatabase;
  const portions: number[] = [];
  for await (const assets of new FeedView(database, 1, 'e', () => undefined).assets())
    portions.push(assets.reduce((sum, { body }) => sum + body.length, 0));
  const read = await Promise.all(query.mock.results.map(({ value }) => value as Promise<unknown[]>));
  const lengths = read.map(({ length }) => length);
  return { portions, mostRows: Math.max(...lengths), rows: lengths.reduce((sum, length) => sum + length, 0) };
}

it('a view of the feed is read a little at a time: what is more holds the event loop, where reads block', async () => {
  const small = await readOf(Array.from({ length: 1_000 }, () => KILOBYTE));
  expect(Math.max(...small.portions)).toBeLessThanOrEqual(256 * KILOBYTE);
  expect(small.mostRows).toBeLessThanOrEqual(200);
  const large = await readOf(Array.from({ length: 20 }, () => 100 * KILOBYTE));
  expect(large.portions).toEqual(Array.from({ length: 10 }, () => 200 * KILOBYTE));
});

it('a view on a server reads more at a time, and does not look at each large body again and again', async () => {
  const dialect = { pagesInATurn: Infinity, largeBytes: Infinity } as Dialect;
  Object.setPrototypeOf(dialect, SqliteDialect.prototype);
  const small = await readOf(
    Array.from({ length: 1_000 }, () => 4 * KILOBYTE),
    dialect,
  );
  expect(small.portions.slice(0, 2)).toEqual([2_000 * KILOBYTE, 2_000 * KILOBYTE]);
  const sizes = Array.from({ length: 1_000 }, () => 100 * KILOBYTE);
  for (const large of [await readOf(sizes, dialect), await readOf(sizes)])
    expect(large.rows).toBeLessThan(25 * sizes.length);
});

it('an asset that is larger is read by itself', async () => {
  const { portions } = await readOf([KILOBYTE, 1_000 * KILOBYTE, KILOBYTE]);
  expect(portions).toEqual([KILOBYTE, 1_000 * KILOBYTE, KILOBYTE]);
});
