import { LRUCache } from 'lru-cache';
import type { IndexHit } from '../database/search/index-query.js';
import type { IndexPosition } from '../database/search/indexed-asset.js';
import { MOST_COUNTED } from '../database/search/search-reader.js';
import type { FacetCounts } from './facets.js';
import type { SearchPageQuery, SearchQuery } from './search-query.js';

/** What is the same for all pages of a query. */
interface Counted {
  /** Of the hits, as SearchReader counts. */
  count: number;
  /** Undefined where they were not asked for. */
  facets: FacetCounts | undefined;
}

/** Where there are more hits than are counted: the counts are of the newest ones, so the same whatever earlier instant is the first. */
interface Newest extends Counted {
  /** The latest one for which this is known. */
  sinceUs: number;
}

export interface FoundPage extends Counted {
  hits: IndexHit[];
}

/** Size of what is kept of pages and of counts, in hits, regions and parts of queries, each of some hundred bytes. */
const MOST_KEPT = 100_000;
/** A part of a query, in characters: it may be long. */
const PART_OF_QUERY = 50;
/** No search as CSV. */
const LARGEST_KEPT = 1_500;

/** What was found and counted of one moment of the index: people and programs ask for the same first pages again and again. */
export class KeptSearches {
  private readonly counted = cacheOf<Counted>(sizeOfCounts);
  private readonly pages = cacheOf<IndexHit[]>(({ length }) => length);
  /** By the query without its first instant. */
  private readonly newest = cacheOf<Newest>(sizeOfCounts);

  constructor(private readonly position?: IndexPosition) {}

  isOf({ epoch, us }: IndexPosition): boolean {
    return this.position?.epoch === epoch && this.position.us === us;
  }

  /** @returns undefined where not all of it is known */
  page(query: SearchQuery, page: SearchPageQuery): FoundPage | undefined {
    const counted = this.counted.get(JSON.stringify(query));
    const hits = this.hits(query, page);
    if (counted === undefined || hits === undefined || (page.withFacets && counted.facets === undefined))
      return undefined;
    return { hits, count: counted.count, facets: page.withFacets ? counted.facets : undefined };
  }

  hits(query: SearchQuery, page: SearchPageQuery): IndexHit[] | undefined {
    return this.pages.get(pageKey(query, page));
  }

  keepHits(query: SearchQuery, page: SearchPageQuery, hits: IndexHit[]): void {
    this.pages.set(pageKey(query, page), hits);
  }

  counts(query: SearchQuery): Counted | undefined {
    return this.countsOfNewest(query) ?? this.counted.get(JSON.stringify(query));
  }

  facets(query: SearchQuery): FacetCounts | undefined {
    return this.counted.get(JSON.stringify(query))?.facets;
  }

  keepCounts(query: SearchQuery, { count, facets = this.facets(query) }: Counted): void {
    this.counted.set(JSON.stringify(query), { count, facets });
    const { afterUs, ...sinceAny } = query;
    if (afterUs < 0 || count <= MOST_COUNTED) return;
    const key = JSON.stringify(sinceAny);
    const known = this.newest.get(key);
    const sinceUs = Math.max(afterUs, known?.sinceUs ?? afterUs);
    this.newest.set(key, { count, facets: facets ?? known?.facets, sinceUs });
  }

  /** What is known of a query as there are more hits than are counted since a later instant. */
  private countsOfNewest({ afterUs, ...sinceAny }: SearchQuery): Counted | undefined {
    const newest = afterUs < 0 ? undefined : this.newest.get(JSON.stringify(sinceAny));
    return newest && afterUs <= newest.sinceUs ? newest : undefined;
  }
}

function sizeOfCounts({ facets }: Counted): number {
  return Object.values(facets ?? {}).flat().length;
}

/** @param sizeOf a value, beside the query that is its key */
function cacheOf<Value extends object>(sizeOf: (value: Value) => number): LRUCache<string, Value> {
  const sizeCalculation = (value: Value, query: string): number =>
    sizeOf(value) + Math.ceil(query.length / PART_OF_QUERY);
  return new LRUCache({ maxSize: MOST_KEPT, maxEntrySize: LARGEST_KEPT, sizeCalculation });
}

function pageKey(query: SearchQuery, { isByValue, isDescending, after, limit }: SearchPageQuery): string {
  return `${JSON.stringify(query)} ${JSON.stringify([isByValue, isDescending, after, limit])}`;
}
