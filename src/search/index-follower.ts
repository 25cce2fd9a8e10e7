import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { ReadAsset } from '../database/asset-row.js';
import type { FeedEntry, FeedRange } from '../database/feed-reader.js';
import type { IndexedAsset, IndexPosition } from '../database/search/indexed-asset.js';
import type { FeedPage } from '../feed/reading/exact-feed.js';
import { logger } from '../logging/logger.js';

/** Of one page and one transaction: so many hold the event loop for some milliseconds, unless there are large ones. */
const ASSETS_AT_ONCE = 50;
/** Then so much of a page is written, and others have a turn. */
const HELD_MS = 10;
/** Until another process, which writes to the same file, is looked at again. */
const OTHERS_TURN_MS = 5;

/** What the follower needs of an index. */
export interface FollowingIndex {
  position(): IndexPosition;
  begin(from: IndexPosition, epoch: string): boolean;
  add(from: IndexPosition, assets: readonly IndexedAsset[]): boolean;
}

interface TakingIn {
  from: IndexPosition;
  index: FollowingIndex;
  mayGoOn: () => boolean;
}

/** Where the entries come from. */
export interface IndexSources {
  feed: { read(range: FeedRange): Promise<FeedPage> };
  searchable: { indexed(asset: ReadAsset): IndexedAsset };
}

/**
 * Follows the registry's own feed, page by page. The position is in the index, and several processes may write to it: who finds that
 * another one was faster goes on from where that one has come.
 */
export class IndexFollower {
  /** Of the page that was read last: which history the feed tells. */
  epoch = '';
  /** Where the index was when it was looked at last, in microseconds. */
  indexedUs = -1;

  constructor(private readonly sources: IndexSources) {}

  /**
   * @param mayGoOn asked before each page
   * @returns whether it came to the end: everything that was visible when this began is in the index
   * @throws ApiError 503 while the database is away, IndexError
   */
  async follow(index: FollowingIndex, mayGoOn: () => boolean): Promise<boolean> {
    while (mayGoOn()) {
      const began = performance.now();
      if (await this.takePage(index, mayGoOn)) return true;
      // As long as it took: half of the time belongs to requests, whatever there is to be indexed.
      await sleep(performance.now() - began);
    }
    return false;
  }

  /** @returns whether it was the last one */
  private async takePage(index: FollowingIndex, mayGoOn: () => boolean): Promise<boolean> {
    const from = index.position();
    this.indexedUs = from.us;
    const { epoch, limit, entries } = await this.sources.feed.read(rangeFrom(from.us));
    this.epoch = epoch;
    if (!mayGoOn()) return false;
    const isAhead = from.us >= 0 && entries.length === 0;
    if (epoch !== from.epoch || isAhead) {
      const isEmptied = index.begin(from, epoch);
      if (isEmptied && from.epoch !== '')
        logger.warn('the search index was of another history of the registry: it is built anew');
      return false;
    }
    const news = entries.filter(({ modifiedUs }) => modifiedUs > from.us);
    if (news.length === 0) return true;
    if (await this.takeIn(news, { from, index, mayGoOn })) return entries.length < limit;
    await sleep(OTHERS_TURN_MS);
    return false;
  }

  /** Takes entries in; those that take long in several transactions. @returns false when another process was first, or it may not go on */
  private async takeIn(entries: readonly FeedEntry[], { from, index, mayGoOn }: TakingIn): Promise<boolean> {
    let assets: IndexedAsset[] = [];
    let heldSince = performance.now();
    for (const { asset, modifiedUs } of entries) {
      assets.push(this.sources.searchable.indexed(asset as ReadAsset));
      const isLast = modifiedUs === entries.at(-1)?.modifiedUs;
      if (!isLast && performance.now() - heldSince < HELD_MS) continue;
      if (!index.add({ ...from, us: this.indexedUs }, assets)) return false;
      this.indexedUs = modifiedUs;
      if (isLast) break;
      await turn();
      if (!mayGoOn()) return false;
      assets = [];
      heldSince = performance.now();
    }
    return true;
  }
}

/**
 * Goes on with what comes after an instant. The entry of that instant is asked for again, as it is there unless it has moved to the end:
 * where nothing comes any more, somebody has put back an older state of the database.
 */
function rangeFrom(us: number): FeedRange {
  return {
    afterUs: us - 1,
    beforeUs: Number.MAX_SAFE_INTEGER,
    newestFirst: false,
    limit: ASSETS_AT_ONCE + 1,
    whole: true,
  };
}
