import { Injectable } from '@nestjs/common';
import { AssetTypes } from '../asset-types/asset-types.js';
import type { Requester } from '../platform/concurrency/semaphore.js';
import type { IndexHit } from '../database/search/index-answers.js';
import type { Cursor } from '../database/search/index-query.js';
import { ExactFeed } from '../feed/reading/exact-feed.js';
import { rangeOf } from '../listing/feed-pages.js';
import { AssetSearch, type SearchPage } from '../search/asset-search.js';
import { FoundAssets } from '../search/found-assets.js';
import { printCursor } from '../search/search-parameters.js';
import { AssetViewModel } from './asset-view-model.js';
import { AssetSummaries, fitSummaries, type Summary } from './asset-summary.js';
import type { ListPage } from './home.page.js';
import type { Html } from './html.js';
import { ListCounts } from './list-counts.js';
import { countOtherPrices } from './other-prices.js';
import type { PageQuery } from './page-query.js';
import type { PageContext } from './page-context.js';

const PAGE_SIZE = 20;
/** Each may have a megabyte, of which a list shows some words. */
const READ_AT_ONCE = 5;

/** What part of a list is read. */
interface Part {
  isDescending: boolean;
  after: Cursor | undefined;
  limit: number;
}

interface ReadPart {
  hits: readonly IndexHit[];
  asOfUs: number | undefined;
  isPartial: boolean;
  /** What the search has found; undefined for the plain feed. */
  found: SearchPage | undefined;
}

/** Reads the lists of the pages: what the search finds, or the feed where there is no search. */
@Injectable()
export class AssetLists {
  constructor(
    private readonly feed: ExactFeed,
    private readonly search: AssetSearch,
    private readonly found: FoundAssets,
    private readonly types: AssetTypes,
    private readonly summaries: AssetSummaries,
    private readonly counts: ListCounts,
  ) {}

  /** One entry more than a page has is asked for, to know whether there are more. @throws ApiError 503 */
  async page(query: PageQuery, context: PageContext, searcher: Requester): Promise<ListPage> {
    const { isBack, after } = query;
    const isDescending = query.isDescending !== isBack;
    const part = { isDescending, after, limit: PAGE_SIZE + 1 };
    const { hits, found, asOfUs, isPartial } = await this.read(query, part, searcher);
    const shown = isBack ? hits.slice(0, PAGE_SIZE).toReversed() : hits.slice(0, PAGE_SIZE);
    const hasMore = hits.length > PAGE_SIZE;
    const [first, last] = [shown[0], shown.at(-1)];
    const hasNewer = isBack ? hasMore : await this.isAnythingBefore(query, first, searcher);
    // Who came from older entries has them behind.
    const hasOlder = isBack ? shown.length > 0 : hasMore;
    return {
      items: await this.items(shown, context),
      newer: hasNewer && first !== undefined ? printCursor(first) : undefined,
      older: hasOlder && last !== undefined ? printCursor(last) : undefined,
      asOfUs,
      isPartial,
      partialSinceUs: found?.fromUs ?? -1,
      counts: found && (await this.counts.of(query, found, searcher)),
      otherPrices: found && (await countOtherPrices(query, this.search, searcher)),
    };
  }

  /** The first page has nothing before it. */
  private async isAnythingBefore(query: PageQuery, first: IndexHit | undefined, searcher: Requester): Promise<boolean> {
    if (query.after === undefined || first === undefined) return false;
    const after = { us: first.modifiedUs, amount: first.amount };
    const part = { isDescending: !query.isDescending, after, limit: 1 };
    return (await this.read(query, part, searcher)).hits.length > 0;
  }

  private async read(query: PageQuery, part: Part, searcher: Requester): Promise<ReadPart> {
    const asOfUs = Date.now() * 1_000;
    const { isDescending: newestFirst, after, limit } = part;
    const asked = { ...part, isByValue: query.isByValue, withFacets: limit > 1 };
    const found = await this.search.find(query.query, asked, searcher);
    if (found !== undefined) {
      const knownUs = found.indexedUs < 0 ? undefined : found.indexedUs;
      return { hits: found.hits, asOfUs: found.isComplete ? asOfUs : knownUs, isPartial: !found.isComplete, found };
    }
    const isPartial = this.search.isOn;
    if (query.isSearch) return { hits: [], asOfUs: undefined, isPartial, found };
    const { entries } = await this.feed.read({
      ...rangeOf({ newestFirst, offsetUs: after?.us, limit }),
      whole: false,
    });
    return { hits: entries, asOfUs, isPartial: false, found };
  }

  private async items(hits: readonly IndexHit[], context: PageContext): Promise<Html[]> {
    const items: (Summary | undefined)[] = [];
    for (let i = 0; i < hits.length; i += READ_AT_ONCE)
      items.push(...(await Promise.all(hits.slice(i, i + READ_AT_ONCE).map((hit) => this.item(hit, context)))));
    return fitSummaries(items.filter((item) => item !== undefined));
  }

  /** Shows a hit as it was when it was found, so that it fits what was asked. @returns undefined where the database took back the state that the index knows */
  private async item(hit: IndexHit, context: PageContext): Promise<Summary | undefined> {
    const kept = this.summaries.find(hit.modifiedUs, context);
    if (kept !== undefined) return kept;
    const found = await this.found.find(hit);
    const page = found && new AssetViewModel(found.asset, this.types);
    if (page === undefined || page.state?.listed === false) return undefined;
    return this.summaries.show(page, context);
  }
}
