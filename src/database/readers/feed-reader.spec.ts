import { describe, expect, it } from '@jest/globals';
import type { Database } from '../database.js';
import { SqliteDialect } from '../dialects/sqlite/sqlite.dialect.js';
import { FeedReader } from './feed-reader.js';

const RANGE = { afterUs: 1, beforeUs: 9, newestFirst: false, limit: 10, whole: false };
const CLOCK = { page: 0, id: null, feedUs: '7', epoch: 'e' };
const entryAt = (us: number, page = 1): object => ({ page, id: `of ${us}`, feedUs: String(us), epoch: null });

/** A database that answers every statement with these rows. */
function answering(...rows: object[]): { feed: FeedReader; statements: string[]; bound: unknown[] } {
  const statements: string[] = [];
  const bound: unknown[] = [];
  const database: Partial<Database> = {
    dialect: new SqliteDialect('none'),
    read: <Row>(sql: string, values: readonly unknown[] = []) => {
      statements.push(sql);
      bound.push(...values);
      return Promise.resolve(rows as Row[]);
    },
  };
  return { feed: new FeedReader(database as Database), statements, bound };
}

describe('a page and its clock', () => {
  it('come from one statement, so from one snapshot', async () => {
    const { feed, statements } = answering(CLOCK, entryAt(5));
    const entries = [{ id: 'of 5', modifiedUs: 5, asset: undefined }];
    expect(await feed.read(RANGE)).toEqual({ clockUs: 7, epoch: 'e', limit: 10, entries });
    expect(statements).toHaveLength(1);
  });

  it.each([
    ['oldest first', false, [3, 5, 6]],
    ['newest first', true, [6, 5, 3]],
  ])('are separated and sorted, %s, whatever the order of the rows', async (_, newestFirst, instants) => {
    const { feed } = answering(entryAt(5), entryAt(3), CLOCK, entryAt(6));
    const { clockUs, entries } = await feed.read({ ...RANGE, newestFirst });
    expect(clockUs).toBe(7);
    expect(entries.map(({ modifiedUs }) => modifiedUs)).toEqual(instants);
  });
});

describe('concurrent plain pages', () => {
  it('come from one statement, each with its own entries', async () => {
    const { feed, statements, bound } = answering(CLOCK, entryAt(3, 1), entryAt(5, 3), entryAt(6, 3));
    const ranges = [2, 4, 5].map((afterUs) => ({ ...RANGE, afterUs }));
    const snapshots = await Promise.all(ranges.map((range) => feed.read(range)));
    expect(snapshots.map(({ clockUs, entries }) => [clockUs, entries.map(({ id }) => id)])).toEqual([
      [7, ['of 3']],
      [7, []],
      [7, ['of 5', 'of 6']],
    ]);
    expect(statements).toHaveLength(1);
    // The fourth page is empty padding.
    expect(bound).toEqual([2n, 9n, 10n, 4n, 9n, 10n, 5n, 9n, 10n, 5n, 9n, 0n]);
  });
});
