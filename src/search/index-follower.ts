import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { ReadAsset } from '../database/asset-row.js';
import type { FeedEntry, FeedRange } from '../database/feed-reader.js';
import type { IndexedAsset, IndexPosition } from '../database/search/indexed-asset.js';
import type { FeedPage } from '../feed/reading/exact-feed.js';
import { logger } from '../logging/logger.js';

/** Assets of one page, and of one transaction at most. */
const ASSETS_AT_ONCE = 50;
/** After this time, in milliseconds, the part of the page that is ready is written, and pending I/O is handled. */
const MAX_MS_AT_ONCE = 10;
/** Pause before the position is read again that another process has moved in the same file. */
const OTHERS_TURN_MS = 5;

/** What the follower needs of an index. */
interface FollowingIndex {
  position(): IndexPosition;
  begin(from: IndexPosition, epoch: string): boolean;
  add(from: IndexPosition, assets: readonly IndexedAsset[]): boolean;
}

/** The event loop has time to spare where it is idle for this share of the time. */
const IDLE_SHARE = 0.1;
const PATIENT_PAUSES = 4;
/** Longer work was none: the process, its database or its machine stood still meanwhile. */
const LONGEST_PAUSE_MS = 1_000;

interface TakingIn {
  from: IndexPosition;
  index: FollowingIndex;
  mayGoOn: () => boolean;
}

/** Where the entries come from. */
interface IndexSources {
  feed: { read(range: FeedRange): Promise<FeedPage> };
  searchable: { indexed(asset: ReadAsset): IndexedAsset };
}

/**
 * Follows the registry's own feed, page by page. The position is kept in the index, and several processes may write to it: one that finds
 * that another was faster goes on from the other's position.
 */
export class IndexFollower {
  /** The epoch of the page that was read last. */
  epoch = '';
  /** The index's watermark when it was read last, in microseconds. */
  indexedUs = -1;

  /** @param isAwaited whether a search waits until the index is complete */
  constructor(
    private readonly sources: IndexSources,
    private readonly isAwaited: () => boolean = () => true,
  ) {}

  /**
   * @param mayGoOn asked before each page
   * @returns whether it came to the end, so that everything that was visible at the call is in the index
   * @throws ApiError 503 while the database is away, IndexError
   */
  async follow(index: FollowingIndex, mayGoOn: () => boolean): Promise<boolean> {
    while (mayGoOn()) {
      const began = performance.now();
      const before = performance.eventLoopUtilization();
      if (await this.takePage(index, mayGoOn)) return true;
      const { idle: idleMs } = performance.eventLoopUtilization(before);
      await sleep(pauseAfter({ workMs: performance.now() - began, idleMs, isAwaited: this.isAwaited() }));
    }
    return false;
  }

  /** @returns whether it was the last page */
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

  /** Writes entries, in several transactions where they take long. @returns false when another process was first, or it must stop */
  private async takeIn(entries: readonly FeedEntry[], { from, index, mayGoOn }: TakingIn): Promise<boolean> {
    let assets: IndexedAsset[] = [];
    let beganMs = performance.now();
    for (const { asset, modifiedUs } of entries) {
      assets.push(this.sources.searchable.indexed(asset as ReadAsset));
      const isLast = modifiedUs === entries.at(-1)?.modifiedUs;
      if (!isLast && performance.now() - beganMs < MAX_MS_AT_ONCE) continue;
      if (!index.add({ ...from, us: this.indexedUs }, assets)) return false;
      this.indexedUs = modifiedUs;
      if (isLast) break;
      await setImmediate();
      if (!mayGoOn()) return false;
      assets = [];
      beganMs = performance.now();
    }
    return true;
  }
}

/**
 * What follows an instant, with the entry of that instant itself. That entry is still there, or has moved to the end by a later change. So an
 * empty range means that somebody has restored an older state of the database.
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

/**
 * A pause as long as the work: half of the time belongs to requests, however much there is to index. Where they need all of it, and nobody
 * waits for the index, it is four times as long; a second at most, as the end of the process waits for it too. All in milliseconds.
 * @param idleMs for how long the event loop had nothing to do during the work
 */
export function pauseAfter(page: { workMs: number; idleMs: number; isAwaited: boolean }): number {
  const { workMs, idleMs, isAwaited } = page;
  const pauseMs = isAwaited || idleMs > workMs * IDLE_SHARE ? workMs : PATIENT_PAUSES * workMs;
  return Math.min(pauseMs, LONGEST_PAUSE_MS);
}
