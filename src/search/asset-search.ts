import { Injectable } from '@nestjs/common';
import type { Requester } from '../platform/concurrency/semaphore.js';
import {
  type FacetCounts,
  type FoundPage,
  type IndexHit,
  MAX_COUNTED,
  type ReaderRequest,
  type Totals,
} from '../database/search/index-answers.js';
import type { IndexPageQuery } from '../database/search/index-query.js';
import { unavailable } from '../platform/errors/errors.js';
import { IndexFollower } from './index-follower.js';
import { IndexSupervisor } from './index-supervisor.js';
import { indexQueryOf, type SearchQuery } from './search-query.js';

/** Options offered in the search form. */
const MAX_CHOICES = { regions: 50, currencies: 20 };

/** A value read from the index, and how complete the index was at that moment. */
export interface ReadIndex<Value> {
  value: Value;
  /** The index has every change up to this instant, in microseconds; -1 while it is empty or being built. */
  indexedUs: number;
  /** Whether the index had everything that was visible when the search began. */
  isComplete: boolean;
  /** While the index is being built: it has every change from this instant on, in microseconds; -1 once it has all. */
  fromUs: number;
  /** The epoch of the feed that it follows. */
  epoch: string;
}

/** A client that searches. */
export interface Searcher extends Requester {
  /** Called for each read of the index. */
  noteSearch?(): void;
}

export interface SearchPage extends Omit<ReadIndex<unknown>, 'value'> {
  hits: IndexHit[];
  /** Number of hits; a lower bound unless `isTotalExact`. */
  total: number;
  isTotalExact: boolean;
  /** Number of hits, also above `MAX_COUNTED`; undefined if counting them would take too long for a page. */
  exactTotal: number | undefined;
  /** Undefined unless requested. If the total is not exact they count the newest hits only, unless the query has no other filters than facets. */
  facets: FacetCounts | undefined;
}

/** Finds listed assets, by an index that follows the feed. */
@Injectable()
export class AssetSearch {
  constructor(
    private readonly supervisor: IndexSupervisor,
    private readonly follower: IndexFollower,
  ) {}

  /** Whether the search is configured and its index usable. */
  get isOn(): boolean {
    return this.supervisor.isOn;
  }

  /**
   * Returns a page of hits. It includes every write acknowledged before the call, unless `isComplete` is false.
   * @returns undefined if there is no index, or it follows another epoch
   * @throws ApiError 503 while the database is down, if the client has disconnected, or if a page in the feed's order would skip changes that
   * are not indexed yet
   */
  async find(query: SearchQuery, page: IndexPageQuery, caller?: Searcher): Promise<SearchPage | undefined> {
    const read = await this.read<FoundPage>({ find: indexQueryOf(query, page.isByValue), page }, caller);
    if (read === undefined) return undefined;
    if (isInOrderOfFeed(page) && mayLackChangesAfter(page.after?.us ?? -1, read)) throw unavailable('search_away');
    const { value, ...moment } = read;
    const { hits, count, isCountExact, facets } = value;
    const exactTotal = isCountExact ? count : undefined;
    const isTotalExact = count <= MAX_COUNTED;
    return { ...moment, hits, total: Math.min(count, MAX_COUNTED), isTotalExact, exactTotal, facets };
  }

  /**
   * Reads the index at one moment.
   * @returns undefined if there is no index, or it follows another epoch and must not be shown
   * @throws ApiError 503 while the database is down, or if the client has disconnected
   */
  async read<Value>(asked: ReaderRequest, caller?: Searcher): Promise<ReadIndex<Value> | undefined> {
    if (!this.isOn) return undefined;
    const hasCaughtUp = await this.follower.catchUp();
    const { caughtUpUs } = this.follower;
    caller?.noteSearch?.();
    const answer = await this.supervisor.read<Value>(asked, caller);
    if (answer === undefined || answer.position.epoch !== this.follower.epoch) return undefined;
    const { value, us, position } = answer;
    const { fromUs, epoch } = position;
    // A rebuild may have begun since.
    const isComplete = hasCaughtUp && fromUs < 0 && position.us >= caughtUpUs;
    return { value, indexedUs: fromUs < 0 ? us : -1, isComplete, fromUs, epoch };
  }

  /** Returns the regions and currencies of listed assets, most frequent first. */
  async choices(): Promise<{ regions: string[]; currencies: string[] }> {
    const { region = [], value = [] } = (await this.read<Totals>('totals'))?.value ?? {};
    const byCount = value.toSorted((a, b) => b.count - a.count);
    return {
      regions: region.slice(0, MAX_CHOICES.regions).map(([name]) => name),
      currencies: byCount.slice(0, MAX_CHOICES.currencies).map(({ currency }) => currency),
    };
  }
}

function isInOrderOfFeed({ isByValue, isDescending }: IndexPageQuery): boolean {
  return !isByValue && !isDescending;
}

/** Whether an index that is being built may lack changes after an instant. */
function mayLackChangesAfter(us: number, { fromUs, indexedUs, isComplete }: ReadIndex<unknown>): boolean {
  return fromUs >= 0 ? us < fromUs : indexedUs < 0 && !isComplete;
}
