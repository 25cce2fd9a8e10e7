import { describe, expect, it } from '@jest/globals';
import type { Database } from './database.js';
import { SqliteDialect } from './dialects/sqlite.dialect.js';
import { FeedReader } from './feed-reader.js';

const RANGE = { afterUs: 1, beforeUs: 9, newestFirst: false, limit: 10, whole: false };
const CLOCK = { id: null, feed_us: '7', epoch: 'e' };
const entryAt = (us: number): object => ({ id: `of ${us}`, feed_us: String(us), epoch: null });

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
    expect(await feed.read(RANGE)).toEqual({ clockUs: 7, epoch: 'e', entries });
    expect(statements).toHaveLength(1);
  });

  it('are a clock alone where nothing is in the range', async () => {
    const { feed } = answering(CLOCK);
    expect(await feed.read(RANGE)).toEqual({ clockUs: 7, epoch: 'e', entries: [] });
  });

  it.each([
    ['oldest first', false, [3, 5, 6]],
    ['newest first', true, [6, 5, 3]],
  ])('are told apart and put in order, %s, in whatever order they come', async (_, newestFirst, instants) => {
    const { feed } = answering(entryAt(5), entryAt(3), CLOCK, entryAt(6));
    const { clockUs, entries } = await feed.read({ ...RANGE, newestFirst });
    expect(clockUs).toBe(7);
    expect(entries.map(({ modifiedUs }) => modifiedUs)).toEqual(instants);
  });
});

describe('the bounds of a page', () => {
  it('are bound as integers, exactly: a floating-point LIMIT is refused by MySQL', async () => {
    const { feed, bound } = answering(CLOCK);
    await feed.read({ ...RANGE, afterUs: -1, beforeUs: Number.MAX_SAFE_INTEGER });
    expect(bound).toEqual([-1n, 9_007_199_254_740_991n, 10n]);
  });
});
