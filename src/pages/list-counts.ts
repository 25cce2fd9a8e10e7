import { Injectable } from '@nestjs/common';
import { nearestName } from '../asset-types/nearest-name.js';
import { AssetTypes } from '../asset-types/asset-types.js';
import { Query } from '../http/request-target.js';
import type { Counts } from '../database/search/index-answers.js';
import { AssetSearch, type Searcher, type SearchPage } from '../search/asset-search.js';
import { regionKey } from '../search/region-key.js';
import { FACETS, type FacetName } from '../search/search-parameters.js';
import type { SearchQuery } from '../search/search-query.js';
import { SearchQueryPipe } from '../search/search-query.pipe.js';
import { availableStates } from './filter-choices.js';
import { isOfAmounts, remaining, searchConditions } from './list-links.js';
import type { PageContext } from './page-context.js';
import type { Condition, PageQuery } from './page-query.js';
import { printNumber } from './shown-values.js';
import { TEXTS } from './texts.js';

/** A number of assets; a lower bound if it is not exact. */
export interface Count {
  count: number;
  isExact: boolean;
}

/** Counts that a list shows. */
export interface ShownCounts {
  hits: Count;
  /** Assets that match all filters except the state: in any state, and available now. */
  everything: Count;
  available: Count;
  /** Searches without the filter of the same name, so that alternatives to a chosen value are shown. */
  facets: Readonly<Record<FacetName, SearchPage | undefined>>;
  /** Regions with a similar name, if nothing was found. */
  similarRegions: readonly string[];
  /** If nothing was found: the number of hits without a condition, by its name. */
  without: ReadonlyMap<string, Count>;
}

/** Each condition costs a search. */
const MAX_EXCLUDING = 10;
const MAX_SIMILAR = 3;
/** Longer names are not compared with the known regions. */
const MAX_COMPARED_LENGTH = 32;
const UNKNOWN: Count = { count: 0, isExact: false };

/** Counts the hits of a search and of its neighbours, which have other states, types or regions. */
@Injectable()
export class ListCounts {
  readonly available: ReadonlySet<string>;

  constructor(
    private readonly search: AssetSearch,
    private readonly queries: SearchQueryPipe,
    types: AssetTypes,
  ) {
    this.available = new Set(availableStates(types));
  }

  /** @param found a page of the query's hits, with facets @throws ApiError 503 */
  async of(query: PageQuery, found: SearchPage, searcher: Searcher): Promise<ShownCounts> {
    const without = async (name: FacetName): Promise<SearchPage | undefined> =>
      query.query[name].length === 0 ? found : this.find(query, { [name]: [] }, searcher);
    const [status, assetType, region] = await Promise.all(FACETS.map(without));
    const isEmpty = found.total === 0 && query.after === undefined;
    return {
      hits: countOf(found),
      everything: countOf(status),
      available: this.countAvailable(query, found, status),
      facets: { status, assetType, region },
      similarRegions: found.total === 0 ? await this.similarTo(query.query.region) : [],
      without: isEmpty ? await this.countWithoutEach(query, searcher) : new Map(),
    };
  }

  /** The hits with another filter instead of the one of the same name. */
  private find(
    { query, isByValue, isDescending }: PageQuery,
    filter: Partial<SearchQuery>,
    searcher: Searcher,
  ): Promise<SearchPage | undefined> {
    const page = { isByValue, isDescending, after: undefined, limit: 1, withFacets: true };
    return this.search.find({ ...query, ...filter }, page, searcher);
  }

  /** A lower bound if the facets count only the newest hits: each further search of a large list takes long. */
  private countAvailable(query: PageQuery, found: SearchPage, everything: SearchPage | undefined): Count {
    if (query.isAvailable) return countOf(found);
    const states = everything?.facets?.status ?? [];
    const count = sum(states.filter(([name]) => this.available.has(name)));
    return { count, isExact: countOf(everything).isExact };
  }

  /** The number of hits without each condition, except the state, which `everything` counts. */
  private async countWithoutEach(asked: PageQuery, searcher: Searcher): Promise<Map<string, Count>> {
    const conditions = searchConditions(asked);
    const counts = new Map<string, Count>();
    for (const name of namesIn(conditions).slice(0, MAX_EXCLUDING)) {
      const left = remaining(
        conditions,
        conditions.filter((one) => one.name === name),
      );
      const { query, page } = this.queries.transform(new Query(left.map((one) => ({ ...one, wellFormed: true }))));
      const found = await this.search.find(query, { ...page, limit: 1, withFacets: false }, searcher);
      if (found !== undefined) counts.set(name, countOf(found));
    }
    return counts;
  }

  private async similarTo([region]: readonly string[]): Promise<string[]> {
    const typed = region === undefined ? '' : regionKey(region);
    if (typed === '' || typed.length > MAX_COMPARED_LENGTH) return [];
    const known = new Map((await this.search.choices()).regions.map((name) => [regionKey(name), name]));
    // The region exists, so it is not a typing error.
    if (known.has(typed)) return [];
    const similar: string[] = [];
    while (similar.length < MAX_SIMILAR) {
      const key = nearestName(typed, known.keys());
      if (key === undefined) break;
      similar.push(known.get(key) as string);
      known.delete(key);
    }
    return similar;
  }
}

/** @param page undefined if there is no index */
export function countOf(page: SearchPage | undefined): Count {
  if (page === undefined) return UNKNOWN;
  const { total, exactTotal } = page;
  return { count: exactTotal ?? total, isExact: exactTotal !== undefined };
}

/** Such as `1,234`, or `more than 10,000`. */
export function printCount({ count, isExact }: Count, { language }: PageContext): string {
  const number = printNumber(count, language);
  return isExact ? number : `${TEXTS[language].moreThan} ${number}`;
}

/** Without the currency of a price or of an order by price, the order and the state. */
function namesIn(conditions: readonly Condition[]): string[] {
  const names = new Set(conditions.map(({ name }) => name));
  const isPriced = conditions.some(isOfAmounts);
  return [...names].filter((name) => !(name === 'currency' && isPriced) && !['sort', 'status'].includes(name));
}

function sum(counts: Counts): number {
  return counts.reduce((total, [, count]) => total + count, 0);
}
