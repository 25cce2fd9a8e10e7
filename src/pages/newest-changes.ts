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
/** One more than a page has, to know whether there are more. */
const LIMIT = PAGE_SIZE + 1;
const NEWEST = { isByValue: false, isDescending: true, limit: LIMIT, withFacets: false };
/** Each may have a megabyte. */
const READ_AT_ONCE = 5;
/** Each has some kilobytes at most. */
const MAX_KEPT = 2_000;

export type Change = Pick<IndexHit, 'id' | 'modifiedUs'>;

/** A page of the Atom feed. */
export interface ChangesPage {
  changes: readonly Change[];
  /** Where older changes begin, as the search prints it; undefined where there are none. */
  next: string | undefined;
}

/** Reads what the Atom feed has: the newest changes of all, or of what fits a query. */
@Injectable()
export class NewestChanges {
  /** What is shown of an asset is kept until it changes: to look for it in a megabyte takes milliseconds. */
  private readonly kept = new LRUCache<number, ShownChange>({ max: MAX_KEPT });

  constructor(
    private readonly feed: ExactFeed,
    private readonly search: AssetSearch,
    private readonly found: FoundAssets,
    private readonly types: AssetTypes,
    private readonly histories: AssetHistory,
    private readonly times: ShownTimes,
  ) {}

  /** Only when they were, and of which assets. @throws ApiError 503, also where the client has gone */
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
    // Their amounts are no part of a cursor of this order.
    return page.hits.map(({ id, modifiedUs }) => ({ id, modifiedUs }));
  }

  /**
   * What is shown of them, as they were then, and how many bytes of assets were read for it. Without assets that an older state of the database,
   * put back, does not have.
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
    const kept = this.kept.get(modifiedUs);
    if (kept !== undefined) return { change: kept, bytes: 0 };
    const found = await this.found.find({ id, modifiedUs });
    if (found === undefined) return { bytes: 0 };
    const page = new AssetViewModel(found.asset, this.types);
    const history = await this.histories.list(id, { ...WHOLE_FEED, beforeUs: modifiedUs + 1, limit: 2 });
    const changes = await readChanges(new PastStates(page, history, this.histories), [{ newest: 0, oldest: 0 }]);
    const change = shownOf({ page, history, changes }, this.times);
    this.kept.set(modifiedUs, change);
    // The state before it is about as large.
    return { change, bytes: found.asset.body.length * (1 + changes.size) };
  }
}
