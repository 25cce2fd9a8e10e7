import { Injectable } from '@nestjs/common';
import { AssetTypes } from '../asset-types/asset-types.js';
import { AssetsService } from '../assets/assets.service.js';
import { ExactFeed } from '../feed/reading/exact-feed.js';
import { rangeOf } from '../listing/paging.js';
import { AssetSearch } from '../search/asset-search.js';
import { AssetOnPage } from './asset-on-page.js';
import { AssetSummaries } from './asset-summary.js';
import type { Html } from './html.js';
import type { ListPage } from './home.page.js';
import { EVERYTHING } from '../search/search-query.js';
import type { PageQuery } from './page-query.js';
import type { Visit } from './visit.js';

export const PAGE_SIZE = 25;
/** Each may have a megabyte, of which a list shows some words. */
const READ_AT_ONCE = 5;

/** An asset's place in the feed. */
interface Entry {
  id: string;
  modifiedUs: number;
}

interface ShownItem {
  modifiedUs: number;
  shown: Html;
}

interface Entries {
  entries: readonly Entry[];
  /** See ListPage. */
  asOfUs: number | undefined;
  isPartial: boolean;
}

/** Reads the lists of the pages: the feed, or what the search finds. */
@Injectable()
export class AssetLists {
  constructor(
    private readonly feed: ExactFeed,
    private readonly search: AssetSearch,
    private readonly assets: AssetsService,
    private readonly types: AssetTypes,
    private readonly summaries: AssetSummaries,
  ) {}

  /** One entry more than a page has is asked for, to know whether there are more. @throws ApiError 503 */
  async page(query: PageQuery, visit: Visit): Promise<ListPage> {
    const { entries, asOfUs, isPartial } = await this.read(query);
    const shown = entries.slice(0, PAGE_SIZE);
    const newestFirst = query.newestFirst ? shown : shown.toReversed();
    return {
      items: await this.items(newestFirst, visit),
      newestUs: newestFirst[0]?.modifiedUs,
      oldestUs: newestFirst.at(-1)?.modifiedUs,
      // Who came from older entries has them behind.
      hasOlder: query.newestFirst ? entries.length > PAGE_SIZE : shown.length > 0,
      asOfUs,
      isPartial,
    };
  }

  private async read(query: PageQuery): Promise<Entries> {
    const { text, status, assetType, region, isSearch } = query;
    const asOfUs = Date.now() * 1_000;
    const range = rangeOf({ ...query, limit: PAGE_SIZE + 1 });
    if (!isSearch) {
      const { entries } = await this.feed.read({ ...range, whole: false });
      return { entries, asOfUs, isPartial: false };
    }
    const { afterUs, beforeUs, newestFirst: isDescending, limit } = range;
    const found = await this.search.find(
      {
        ...EVERYTHING,
        text,
        status: listed(status),
        assetType: listed(assetType),
        region: listed(region),
        afterUs,
        beforeUs,
      },
      { isByValue: false, isDescending, after: undefined, limit, withFacets: false },
    );
    if (found === undefined) return { entries: [], asOfUs, isPartial: this.search.isOn };
    const { hits, isComplete, indexedUs } = found;
    const knownUs = indexedUs < 0 ? undefined : indexedUs;
    return { entries: hits, asOfUs: isComplete ? asOfUs : knownUs, isPartial: !isComplete };
  }

  /** Each as it is now, should it have changed since: then it is at the top. */
  private async items(entries: readonly Entry[], visit: Visit): Promise<Html[]> {
    const items: (ShownItem | undefined)[] = [];
    for (let i = 0; i < entries.length; i += READ_AT_ONCE) {
      const some = entries.slice(i, i + READ_AT_ONCE).map((entry) => this.item(entry, visit));
      items.push(...(await Promise.all(some)));
    }
    return items
      .filter((item) => item !== undefined)
      .toSorted((a, b) => b.modifiedUs - a.modifiedUs)
      .map(({ shown }) => shown);
  }

  /** Undefined for what the search index knows of a state of the database that was taken back. */
  private async item({ id, modifiedUs }: Entry, visit: Visit): Promise<ShownItem | undefined> {
    const kept = this.summaries.find(modifiedUs, visit);
    if (kept !== undefined) return { modifiedUs, shown: kept };
    const asset = await this.assets.find(id);
    const page = asset && new AssetOnPage(asset, this.types);
    if (page === undefined || page.state?.listed === false) return undefined;
    return { modifiedUs: page.asset.modifiedUs, shown: this.summaries.show(page, visit) };
  }
}

function listed(value: string | undefined): string[] {
  return value === undefined ? [] : [value];
}
