import { Injectable } from '@nestjs/common';
import { Semaphore } from '../concurrency/semaphore.js';
import type { Direction, IndexHit, IndexQuery } from '../database/search/index-query.js';
import type { IndexPosition } from '../database/search/indexed-asset.js';
import { MOST_COUNTED, type SearchReader } from '../database/search/search-reader.js';
import { CatchingUp } from './catching-up.js';
import { countFacets, type Counting, type FacetCounts, type Searcher } from './facets.js';
import { IndexKeeper } from './index-keeper.js';
import { type FoundPage, KeptSearches } from './kept-searches.js';
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

type Search<T> = () => Promise<T | undefined>;

/** How the index is read. */
interface Reading<T> {
  /** Does it when there is a place. */
  inPlace?: (search: Search<T>) => Promise<T | undefined>;
  caller?: Searcher | undefined;
}

type SearchWork<T> = (reader: SearchReader, position: IndexPosition, isComplete: boolean) => Promise<T>;

const NO_FACETS: FacetCounts = { status: [], assetType: [], region: [] };

/** With more at once, all searches that take long would be late. With fewer, short ones would wait for two or three that take long. */
const MOST_AT_ONCE = 4;
const MOST_REGIONS = 50;
const MOST_CURRENCIES = 20;

function shownPage({ hits, count, facets }: FoundPage, indexedUs: number, isComplete: boolean): SearchPage {
  const isTotalExact = count <= MOST_COUNTED;
  return { hits, total: Math.min(count, MOST_COUNTED), isTotalExact, facets, isComplete, indexedUs };
}

/** Whether it is the first page in the order of the feed. */
function isFirst({ after, isByValue }: SearchPageQuery): boolean {
  return after === undefined && !isByValue;
}

/** Whether a page has all hits. @param count of them, where it is known */
function areAll(
  { length }: readonly IndexHit[],
  { after, limit }: SearchPageQuery,
  count: number | undefined,
): boolean {
  return after === undefined && (length < limit || length === count);
}

/** Finds listed assets, by an index that follows the feed. */
@Injectable()
export class AssetSearch {
  /** Those who wait for it are few, by admission control. */
  private readonly searchesAtOnce = new Semaphore(MOST_AT_ONCE);
  /** Where brokers have written as many regions as they can, the counts of one search take some hundred MB. */
  private readonly facetsAtOnce = new Semaphore(1);
  /** Searches that wait for it leave places to those without facets. */
  private readonly withFacets = new Semaphore(MOST_AT_ONCE / 2);
  private kept = new KeptSearches();

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
      const found = isPlaced ? await this.pageOf(reader, query, page, caller) : this.kept.page(query, page);
      return found && shownPage(found, us, isComplete);
    };
    const inPlace = async (search: Search<SearchPage | undefined>): Promise<SearchPage | undefined> => {
      // What is kept waits for no place, unless the index has moved on by the time that it is read.
      const kept = this.kept.page(query, page) && (await search());
      if (kept !== undefined) return kept;
      isPlaced = true;
      const searchInPlace = () => this.searchesAtOnce.run(search, caller);
      return page.withFacets ? this.withFacets.run(searchInPlace, caller) : searchInPlace();
    };
    return this.read(work, { caller, inPlace });
  }

  /**
   * Reads the index, of one moment.
   * @returns undefined where there is none, or one of another history: that must not be shown
   * @throws ApiError 503 while the database is away, or where the client has gone
   */
  async read<T>(
    work: SearchWork<T>,
    { inPlace = (search) => this.searchesAtOnce.run(search, caller), caller }: Reading<T> = {},
  ): Promise<T | undefined> {
    if (!this.isOn) return undefined;
    const hasCaughtUp = await this.catchingUp.soon();
    const { indexedUs } = this.catchingUp;
    return inPlace(() =>
      this.keeper.reading((reader) =>
        reader.inReadTransaction(async (position) => {
          if (position.epoch !== this.catchingUp.epoch) return undefined;
          if (!this.kept.isOf(position)) this.kept = new KeptSearches(position);
          // It may have been emptied since, to be built anew.
          return work(reader, position, hasCaughtUp && position.us >= indexedUs);
        }),
      ),
    );
  }

  private async pageOf(
    reader: SearchReader,
    query: SearchQuery,
    page: SearchPageQuery,
    caller: Searcher | undefined,
  ): Promise<FoundPage> {
    const wanted = indexQueryOf(query);
    if (wanted === undefined) return { hits: [], count: 0, facets: page.withFacets ? NO_FACETS : undefined };
    const { kept } = this;
    const { isByValue: isByAmount, isDescending, after, limit } = page;
    const direction: Direction = isDescending ? 'DESC' : 'ASC';
    const asked = { isByAmount, direction, after, limit };
    const known = kept.counts(query);
    // Counting costs more than a page. A first one that is not full has all hits, and those of another page have been counted.
    const tells = known === undefined && isFirst(page);
    const read = kept.hits(query, page) ?? (tells ? await reader.hits(wanted, asked, Infinity) : undefined);
    const all = read !== undefined && areAll(read, page, known?.count) ? read : undefined;
    const first = tells && read !== undefined ? { hits: read, direction } : undefined;
    const count = known?.count ?? all?.length ?? (await reader.count(wanted, first));
    let facets = count === 0 ? NO_FACETS : known?.facets;
    if (page.withFacets) facets ??= await this.facetsOnce(kept, reader, wanted, { query, count, all, caller });
    const hits = count === 0 ? [] : (read ?? (await reader.hits(wanted, asked, count)));
    kept.keepCounts(query, { count, facets });
    kept.keepHits(query, page, hits);
    return { hits, count, facets: page.withFacets ? facets : undefined };
  }

  /** Counts facets, unless another search has counted the same while this one waited. */
  private facetsOnce(
    kept: KeptSearches,
    reader: SearchReader,
    wanted: IndexQuery,
    counting: Counting,
  ): Promise<FacetCounts> {
    const { query, count, caller } = counting;
    return this.facetsAtOnce.run(async () => {
      const facets = kept.facets(query) ?? (await countFacets(reader, wanted, counting));
      kept.keepCounts(query, { count, facets });
      return facets;
    }, caller);
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
