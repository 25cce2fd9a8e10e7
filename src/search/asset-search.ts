import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { IndexHit } from '../database/search/index-query.js';
import type { IndexPosition } from '../database/search/indexed-asset.js';
import { MOST_COUNTED, type SearchReader } from '../database/search/search-reader.js';
import { ownTurn } from '../event-loop/turns.js';
import { CatchingUp } from './catching-up.js';
import { unavailable } from '../errors/errors.js';
import { countFacets, type FacetCounts, type Searcher } from './facets.js';
import { IndexKeeper } from './index-keeper.js';
import { indexQueryOf, type SearchPageQuery, type SearchQuery } from './search-query.js';

export interface SearchPage {
  hits: IndexHit[];
  /** How many hits there are; where that is not exact, at least so many. */
  total: number;
  isTotalExact: boolean;
  /** Where they were asked for; of the newest hits where the total is not exact, unless only a state, a type and a region were chosen. */
  facets: FacetCounts | undefined;
  /** Whether the index had everything that was visible when the search began. */
  isComplete: boolean;
  /** The index's watermark: it has every change up to this instant, in microseconds; -1 before the first. */
  indexedUs: number;
}

/** What is the same for all pages of a query, as long as the index is the same. */
interface Counted {
  /** Of the hits, as SearchReader counts. */
  count: number;
  facets: FacetCounts | undefined;
}

/** Where there are more hits than are counted: the counts are of the newest ones, so the same whatever earlier instant is the first. */
interface Newest extends Counted {
  /** The latest one for which this is known. */
  sinceUs: number;
}

interface FoundPage extends Counted {
  hits: IndexHit[];
}

type Search<T> = () => Promise<T | undefined>;

/** How the index is read. */
interface Reading<T> {
  /** Does it when there is a place. */
  inPlace?: (search: Search<T>) => Promise<T | undefined>;
  caller?: Searcher | undefined;
}

type SearchWork<T> = (reader: SearchReader, position: IndexPosition, isComplete: boolean) => Promise<T>;

const NO_FACETS: FacetCounts = { status: [], assetType: [], region: [] };

/**
 * Of more, each would wait for the pieces of all others: eight that take long would all be late. With fewer, small ones would wait for two or
 * three that take long.
 */
const MOST_AT_ONCE = 4;
/** Size of what is kept of pages and of counts, in hits, regions and parts of queries, each of some hundred bytes. */
const MOST_KEPT = 100_000;
/** A part of a query, in characters: it may be long. */
const PART_OF_QUERY = 50;
/** No search as CSV. */
const LARGEST_KEPT = 1_500;
const MOST_REGIONS = 50;
const MOST_CURRENCIES = 20;

function sizeOfCounts({ facets }: Counted): number {
  return Object.values(facets ?? {}).flat().length;
}

/** @param sizeOf a value, beside the query that is its key */
function cacheOf<Value extends object>(sizeOf: (value: Value) => number): LRUCache<string, Value> {
  const sizeCalculation = (value: Value, query: string): number =>
    sizeOf(value) + Math.ceil(query.length / PART_OF_QUERY);
  return new LRUCache({ maxSize: MOST_KEPT, maxEntrySize: LARGEST_KEPT, sizeCalculation });
}

function shownPage({ hits, count, facets }: FoundPage, indexedUs: number, isComplete: boolean): SearchPage {
  const isTotalExact = count <= MOST_COUNTED;
  return { hits, total: Math.min(count, MOST_COUNTED), isTotalExact, facets, isComplete, indexedUs };
}

function pageKey(query: string, { isByValue, isDescending, after, limit }: SearchPageQuery): string {
  return `${query} ${JSON.stringify([isByValue, isDescending, after, limit])}`;
}

/** Finds listed assets, by an index that follows the feed. */
@Injectable()
export class AssetSearch {
  /** Those who wait for it are few, by admission control. */
  private readonly semaphore = pLimit(MOST_AT_ONCE);
  /** A semaphore: where brokers have written as many regions as they can, the counts of one search take some hundred MB. */
  private readonly facetsAtOnce = pLimit(1);
  /** A semaphore: searches that wait for it leave places to those without facets. */
  private readonly withFacets = pLimit(MOST_AT_ONCE / 2);
  private readonly counted = cacheOf<Counted>(sizeOfCounts);
  /** Hits, as long as the index is the same: people and programs ask for the same first pages again and again. */
  private readonly pages = cacheOf<IndexHit[]>(({ length }) => length);
  /** Newest counts, by the query without its first instant. */
  private readonly newest = cacheOf<Newest>(sizeOfCounts);
  private countedAt = '';

  constructor(
    private readonly keeper: IndexKeeper,
    private readonly catchingUp: CatchingUp,
  ) {}

  /** Whether there is a search: it is configured, and its index has not failed. */
  get isOn(): boolean {
    return this.keeper.isOn;
  }

  /**
   * A page of hits. Whatever was acknowledged before is found, unless `isComplete` says that the index is not that far yet.
   * @returns undefined where there is no index, or one of another history
   * @throws ApiError 503 while the database is away, or where the client has gone
   */
  async find(query: SearchQuery, page: SearchPageQuery, caller?: Searcher): Promise<SearchPage | undefined> {
    let isPlaced = false;
    const work: SearchWork<SearchPage | undefined> = async (reader, { us }, isComplete) => {
      const found = isPlaced ? await this.pageOf(reader, query, page, caller) : this.keptPage(query, page);
      return found && shownPage(found, us, isComplete);
    };
    const inPlace = async (search: Search<SearchPage | undefined>): Promise<SearchPage | undefined> => {
      // What is kept waits for no place, unless the index has moved on by the time that it is read.
      const kept = this.keptPage(query, page) && (await search());
      if (kept !== undefined) return kept;
      isPlaced = true;
      return page.withFacets ? this.withFacets(() => this.semaphore(search)) : this.semaphore(search);
    };
    return this.read(work, { caller, inPlace });
  }

  /** What was found and counted before, of the same index. */
  private keptPage(query: SearchQuery, page: SearchPageQuery): FoundPage | undefined {
    const key = JSON.stringify(query);
    const counted = this.counted.get(key);
    const hits = this.pages.get(pageKey(key, page));
    if (counted === undefined || hits === undefined) return undefined;
    if (!page.withFacets) return { hits, count: counted.count, facets: undefined };
    return counted.facets && { hits, ...counted };
  }

  /**
   * Reads the index, of one moment.
   * @returns undefined where there is none, or one of another history: that must not be shown
   * @throws ApiError 503 while the database is away, or where the client has gone
   */
  async read<T>(
    work: SearchWork<T>,
    { inPlace = (search) => this.semaphore(search), caller }: Reading<T> = {},
  ): Promise<T | undefined> {
    if (!this.isOn) return undefined;
    const hasCaughtUp = await this.catchingUp.soon();
    const { indexedUs } = this.catchingUp;
    return inPlace(async () => {
      // The index is a file, and its calls block.
      await ownTurn();
      if (caller?.isGone()) throw unavailable();
      return this.keeper.reading((reader) =>
        reader.inReadTransaction(async (position) => {
          if (position.epoch !== this.catchingUp.epoch) return undefined;
          this.forgetUnless(position);
          // It may have been emptied since, to be built anew.
          return work(reader, position, hasCaughtUp && position.us >= indexedUs);
        }),
      );
    });
  }

  private async pageOf(
    reader: SearchReader,
    query: SearchQuery,
    page: SearchPageQuery,
    caller: Searcher | undefined,
  ): Promise<FoundPage> {
    const wanted = indexQueryOf(query);
    if (wanted === undefined) return { hits: [], count: 0, facets: page.withFacets ? NO_FACETS : undefined };
    const { isByValue: isByAmount, isDescending, after, limit } = page;
    const asked = { isByAmount, isDescending, after, limit };
    const [key, at] = [JSON.stringify(query), this.countedAt];
    const known = this.pages.get(pageKey(key, page));
    const kept = this.countedOfNewest(query) ?? this.counted.get(key);
    // Counting costs more than a page. A first one that is not full has all hits, and those of another page have been counted.
    const isFirst = kept === undefined && after === undefined && !isByAmount;
    const first = known ?? (isFirst ? await reader.hits(wanted, asked, Infinity) : undefined);
    const areAll = after === undefined && first !== undefined && (first.length < limit || first.length === kept?.count);
    const all = areAll ? first : undefined;
    const counted = kept ?? {
      count: all?.length ?? (await reader.count(wanted, isDescending, isFirst ? first : undefined)),
      facets: undefined,
    };
    const { count } = counted;
    const countNow = () => countFacets(reader, wanted, { query, count, all, caller });
    if (page.withFacets && count > 0) counted.facets ??= await this.facetsOnce({ key, at, count }, countNow, caller);
    if (count === 0) counted.facets = NO_FACETS;
    const { facets } = counted;
    const hits = count === 0 ? [] : (first ?? (await reader.hits(wanted, asked, count)));
    if (at === this.countedAt) {
      this.counted.set(key, counted);
      this.keepNewest(query, counted);
      this.pages.set(pageKey(key, page), hits);
    }
    return { hits, count, facets: page.withFacets ? facets : undefined };
  }

  /** What is known of a query as there are more hits than are counted since a later instant. */
  private countedOfNewest({ afterUs, ...query }: SearchQuery): Counted | undefined {
    const newest = afterUs < 0 ? undefined : this.newest.get(JSON.stringify(query));
    return newest && afterUs <= newest.sinceUs ? { count: newest.count, facets: newest.facets } : undefined;
  }

  private keepNewest({ afterUs, ...query }: SearchQuery, { count, facets }: Counted): void {
    if (afterUs < 0 || count <= MOST_COUNTED) return;
    const key = JSON.stringify(query);
    const known = this.newest.get(key);
    const sinceUs = Math.max(afterUs, known?.sinceUs ?? afterUs);
    this.newest.set(key, { count, facets: facets ?? known?.facets, sinceUs });
  }

  /** Counts facets, unless another search has counted the same while this one waited. */
  private facetsOnce(
    { key, at, count }: { key: string; at: string; count: number },
    countNow: () => Promise<FacetCounts>,
    caller: Searcher | undefined,
  ): Promise<FacetCounts> {
    return this.facetsAtOnce(async () => {
      if (caller?.isGone()) throw unavailable();
      const known = at === this.countedAt ? this.counted.get(key)?.facets : undefined;
      const facets = known ?? (await countNow());
      if (at === this.countedAt) this.counted.set(key, { count, facets });
      return facets;
    });
  }

  /** What was counted and found of an older index. */
  private forgetUnless({ epoch, us }: IndexPosition): void {
    const at = `${epoch} ${us}`;
    if (at !== this.countedAt) {
      this.counted.clear();
      this.pages.clear();
      this.newest.clear();
    }
    this.countedAt = at;
  }

  /** What reads little waits for no place. */
  private glance<T>(read: (reader: SearchReader) => T): Promise<T | undefined> {
    return this.read((reader) => Promise.resolve(read(reader)), { inPlace: (search) => search() });
  }

  /** Names of regions of listed assets as they were written first, the most frequent first, at most 50. */
  async regions(): Promise<string[]> {
    const regions = await this.glance((reader) => reader.regions(MOST_REGIONS));
    return regions?.map(({ name }) => name) ?? [];
  }

  /** Currencies of the values of listed assets, the most frequent first. */
  async currencies(): Promise<string[]> {
    const currencies = await this.glance((reader) => reader.tallies('value'));
    const byCount = currencies?.toSorted((a, b) => b.entries - a.entries) ?? [];
    return byCount.slice(0, MOST_CURRENCIES).map(({ key }) => key);
  }
}
