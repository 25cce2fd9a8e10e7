import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AssetTypes } from '../asset-types/asset-types.js';
import type { Requester } from '../platform/concurrency/semaphore.js';
import type { IndexHit } from '../database/search/index-answers.js';
import { unavailable } from '../platform/errors/errors.js';
import { AssetHistory } from '../feed/reading/asset-history.js';
import { ExactFeed } from '../feed/reading/exact-feed.js';
import { PastStates } from '../feed/reading/past-states.js';
import { AssetSearch } from '../search/asset-search.js';
import { FoundAssets } from '../search/found-assets.js';
import { rangeOf } from '../listing/feed-pages.js';
import { printCursor } from '../search/search-parameters.js';
import { AssetViewModel } from './asset-view-model.js';
import { readChanges } from './changed-values.js';
import { type ShownChange, shownOf } from './changes-feed.js';
import type { FeedQuery } from './page-query.js';
import { ShownTimes } from './times.js';

export const WHOLE_FEED = { afterUs: -1, beforeUs: Number.MAX_SAFE_INTEGER, newestFirst: true } as const;
const PAGE_SIZE = 25;
/** One more than a page has, to know whether there is a next page. */
const LIMIT = PAGE_SIZE + 1;
const NEWEST = { isByValue: false, isDescending: true, limit: LIMIT, withFacets: false };
/** Assets read concurrently; each may have a megabyte. */
const READ_AT_ONCE = 5;
/** Each has some kilobytes at most. */
const MAX_CACHED = 2_000;

export type Change = Pick<IndexHit, 'id' | 'modifiedUs'>;

/** A page of the Atom feed. */
export interface ChangesPage {
  changes: readonly Change[];
  /** Cursor of the next page; undefined on the last one. */
  next: string | undefined;
}

/** Reads the newest changes of all assets, or of those that match a query. */
@Injectable()
export class NewestChanges {
  /** A cache, because parsing an asset of a megabyte takes milliseconds. */
  private readonly cache = new LRUCache<number, ShownChange>({ max: MAX_CACHED });

  constructor(
    private readonly feed: ExactFeed,
    private readonly search: AssetSearch,
    private readonly found: FoundAssets,
    private readonly types: AssetTypes,
    private readonly histories: AssetHistory,
    private readonly times: ShownTimes,
  ) {}

  /** The ids and instants of the newest changes. @throws ApiError 503, also if the client has disconnected */
  async newest(query: FeedQuery, caller: Requester): Promise<ChangesPage> {
    const found = await this.read(query, caller);
    const changes = found.slice(0, PAGE_SIZE);
    const last = found.length > PAGE_SIZE ? changes.at(-1) : undefined;
    return { changes, next: last && printCursor(last) };
  }

  private async read({ query, after }: FeedQuery, caller: Requester): Promise<readonly Change[]> {
    if (query === undefined) {
      const range = rangeOf({ newestFirst: true, offsetUs: after?.us, limit: LIMIT });
      return (await this.feed.read({ ...range, whole: false })).entries;
    }
    const page = await this.search.find(query, { ...NEWEST, after }, caller);
    if (page === undefined) throw unavailable('search_away');
    // Without amounts, which are not part of a cursor of this order.
    return page.hits.map(({ id, modifiedUs }) => ({ id, modifiedUs }));
  }

  /**
   * Renders changes, and counts the bytes of assets that were read. Skips assets that a restored older database lacks.
   * @throws ApiError 503
   */
  async show(changes: readonly Change[]): Promise<{ shown: ShownChange[]; readBytes: number }> {
    const shown: ShownChange[] = [];
    let readBytes = 0;
    for (let i = 0; i < changes.length; i += READ_AT_ONCE) {
      const some = changes.slice(i, i + READ_AT_ONCE);
      for (const { change, bytes } of await Promise.all(some.map((one) => this.showOne(one)))) {
        if (change !== undefined) shown.push(change);
        readBytes += bytes;
      }
    }
    return { shown, readBytes };
  }

  private async showOne({ id, modifiedUs }: Change): Promise<{ change?: ShownChange; bytes: number }> {
    const cached = this.cache.get(modifiedUs);
    if (cached !== undefined) return { change: cached, bytes: 0 };
    const found = await this.found.find({ id, modifiedUs });
    if (found === undefined) return { bytes: 0 };
    const page = new AssetViewModel(found.asset, this.types);
    const history = await this.histories.list(id, { ...WHOLE_FEED, beforeUs: modifiedUs + 1, limit: 2 });
    const changes = await readChanges(new PastStates(page, history, this.histories), [{ newest: 0, oldest: 0 }]);
    const change = shownOf({ page, history, changes }, this.times);
    this.cache.set(modifiedUs, change);
    // The state before the change, if it was read, is about as large.
    return { change, bytes: found.asset.body.length * (1 + changes.size) };
  }
}
