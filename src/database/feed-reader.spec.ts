import { describe, expect, it } from '@jest/globals';
import type { Database } from './database.js';
import { FeedReader } from './feed-reader.js';

const RANGE = { afterUs: 1, beforeUs: 9, newestFirst: false, limit: 10, whole: false };

/** A database that answers every statement with these rows. */
function answering(...rows: object[]): { feed: FeedReader; statements: string[] } {
  const statements: string[] = [];
  const database: Partial<Database> = {
    read: <Row>(sql: string) => {
      statements.push(sql);
      return Promise.resolve(rows as Row[]);
    },
  };
  return { feed: new FeedReader(database as Database), statements };
}

describe('a page and its clock', () => {
  it('come from one statement, so from one snapshot', async () => {
    const { feed, statements } = answering({ clock_us: '7', epoch: 'e', id: 'a', feed_us: '5' });
    const entries = [{ id: 'a', modifiedUs: 5, asset: undefined }];
    expect(await feed.read(RANGE)).toEqual({ clockUs: 7, epoch: 'e', entries });
    expect(statements).toHaveLength(1);
  });

  it('are a clock alone where nothing is in the range', async () => {
    const { feed } = answering({ clock_us: '7', epoch: 'e', id: null, feed_us: null });
    expect(await feed.read(RANGE)).toEqual({ clockUs: 7, epoch: 'e', entries: [] });
  });
});
