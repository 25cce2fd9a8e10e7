import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { ReadAsset } from '../database/asset-row.js';
import { unavailable } from '../errors/errors.js';
import { ExactFeed } from '../feed/reading/exact-feed.js';
import { AssetSearch } from '../search/asset-search.js';
import { FoundAssets } from '../search/found-assets.js';
import type { SearchQuery } from '../search/search-query.js';
import { PAGE_SIZE } from './asset-lists.js';
import type { FeedQuery } from './page-query.js';

const WHOLE_FEED = { afterUs: -1, beforeUs: Number.MAX_SAFE_INTEGER, newestFirst: true } as const;
const NEWEST = { isByValue: false, isDescending: true, after: undefined, limit: PAGE_SIZE, withFacets: false };
/** Each may have a megabyte. */
const READ_AT_ONCE = 5;

export interface Change {
  modifiedUs: number;
}

/** Undefined for an asset that an older state of the database, put back, does not have. */
interface ReadChange extends Change {
  asset: ReadAsset | undefined;
}

/** Reads what the Atom feed has: the newest changes of all, or of what fits a query. */
@Injectable()
export class NewestChanges {
  constructor(
    private readonly feed: ExactFeed,
    private readonly search: AssetSearch,
    private readonly found: FoundAssets,
  ) {}

  /** Only when they were. @throws ApiError 503 */
  async newest({ query }: FeedQuery): Promise<readonly Change[]> {
    if (query !== undefined) return this.hits(query);
    return (await this.feed.read({ ...WHOLE_FEED, limit: PAGE_SIZE, whole: false })).entries;
  }

  /** Some at a time, where assets are large. @throws ApiError 503 */
  read({ query }: FeedQuery): AsyncGenerator<ReadChange[]> {
    return query === undefined ? this.readFeed() : this.readFound(query);
  }

  private async hits(query: SearchQuery) {
    const page = await this.search.find(query, NEWEST);
    if (page === undefined) throw unavailable();
    return page.hits;
  }

  private async *readFound(query: SearchQuery): AsyncGenerator<ReadChange[]> {
    const hits = await this.hits(query);
    for (let i = 0; i < hits.length; i += READ_AT_ONCE) {
      const some = hits.slice(i, i + READ_AT_ONCE);
      yield await Promise.all(
        some.map(async (hit) => ({ modifiedUs: hit.modifiedUs, asset: (await this.found.find(hit))?.asset })),
      );
      await turn();
    }
  }

  private async *readFeed(): AsyncGenerator<ReadChange[]> {
    let beforeUs: number = WHOLE_FEED.beforeUs;
    for (let left = PAGE_SIZE; left > 0;) {
      const { limit, entries } = await this.feed.read({ ...WHOLE_FEED, beforeUs, limit: left, whole: true });
      yield entries.map(({ modifiedUs, asset }) => ({ modifiedUs, asset: asset as ReadAsset }));
      const last = entries.at(-1);
      if (last === undefined || limit === left) return;
      beforeUs = last.modifiedUs;
      left -= entries.length;
      await turn();
    }
  }
}
