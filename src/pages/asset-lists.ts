import { Injectable } from '@nestjs/common';
import { AssetTypes } from '../asset-types/asset-types.js';
import type { IndexHit } from '../database/search/index-answers.js';
import type { Cursor } from '../database/search/index-query.js';
import { ExactFeed } from '../feed/reading/exact-feed.js';
import { rangeOf } from '../listing/feed-pages.js';
import { AssetSearch, type Searcher, type SearchPage } from '../search/asset-search.js';
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
/** Assets read concurrently; each may have a megabyte. */
const READ_AT_ONCE = 5;

interface Part {
  isDescending: boolean;
  after: Cursor | undefined;
  limit: number;
}

interface ReadPart {
  hits: readonly IndexHit[];
  asOfUs: number | undefined;
  isPartial: boolean;
  /** The answer of the search; undefined for the plain feed. */
  found: SearchPage | undefined;
}

/** Reads a page of the list from the search, or from the feed if the search is off. */
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

  /** @throws ApiError 503 */
  async page(query: PageQuery, context: PageContext, searcher: Searcher): Promise<ListPage> {
    const { isBack, after } = query;
    const isDescending = query.isDescending !== isBack;
    const part = { isDescending, after, limit: PAGE_SIZE + 1 };
    const { hits, found, asOfUs, isPartial } = await this.read(query, part, searcher);
    const shown = isBack ? hits.slice(0, PAGE_SIZE).toReversed() : hits.slice(0, PAGE_SIZE);
    const hasMore = hits.length > PAGE_SIZE;
    const [first, last] = [shown[0], shown.at(-1)];
    const hasNewer = isBack ? hasMore : await this.isAnythingBefore(query, first, searcher);
    // A visitor who goes back comes from the older page.
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

  /** The first page has no newer one. */
  private async isAnythingBefore(query: PageQuery, first: IndexHit | undefined, searcher: Searcher): Promise<boolean> {
    if (query.after === undefined || first === undefined) return false;
    const after = { us: first.modifiedUs, amount: first.amount };
    const part = { isDescending: !query.isDescending, after, limit: 1 };
    return (await this.read(query, part, searcher)).hits.length > 0;
  }

  private async read(query: PageQuery, part: Part, searcher: Searcher): Promise<ReadPart> {
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

  /** Shows the indexed state of a hit, which matches the query. @returns undefined if an older database was restored and lacks that state */
  private async item(hit: IndexHit, context: PageContext): Promise<Summary | undefined> {
    const cached = this.summaries.find(hit.modifiedUs, context);
    if (cached !== undefined) return cached;
    const found = await this.found.find(hit);
    const page = found && new AssetViewModel(found.asset, this.types);
    if (page === undefined || page.state?.listed === false) return undefined;
    return this.summaries.show(page, context);
  }
}
