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

/** How many there are to choose from. */
const MAX_CHOICES = { regions: 50, currencies: 20 };

/** What was read of one moment of the index. */
export interface ReadIndex<Value> {
  value: Value;
  /** The index has every change up to this instant, in microseconds; -1 before the first, and while the index is built. */
  indexedUs: number;
  /** Whether the index had everything that was visible when the search began. */
  isComplete: boolean;
  /** It has every change from this instant on, in microseconds; -1 once it has all. */
  fromUs: number;
  /** The history of the feed that it has followed. */
  epoch: string;
}

export interface SearchPage extends Omit<ReadIndex<unknown>, 'value'> {
  hits: IndexHit[];
  /** How many hits there are; where that is not exact, at least so many. */
  total: number;
  isTotalExact: boolean;
  /** How many hits there are, however many; undefined where more than can be counted for a page. */
  exactTotal: number | undefined;
  /** Where they were asked for; of the newest hits where the total is not exact, unless only states, types and regions were chosen. */
  facets: FacetCounts | undefined;
}

/** Finds listed assets, by an index that follows the feed. */
@Injectable()
export class AssetSearch {
  constructor(
    private readonly supervisor: IndexSupervisor,
    private readonly follower: IndexFollower,
  ) {}

  /** Whether there is a search: it is configured, and its index has not failed. */
  get isOn(): boolean {
    return this.supervisor.isOn;
  }

  /**
   * A page of hits. Whatever was acknowledged before is found, unless `isComplete` says that the index is not that far yet.
   * @returns undefined where there is no index, or one of another history
   * @throws ApiError 503 while the database is away, where the client has gone, or would pass over changes that the index does not have yet
   */
  async find(query: SearchQuery, page: IndexPageQuery, caller?: Requester): Promise<SearchPage | undefined> {
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
   * Reads the index, of one moment.
   * @returns undefined where there is none, or one of another history: that must not be shown
   * @throws ApiError 503 while the database is away, or where the client has gone
   */
  async read<Value>(asked: ReaderRequest, caller?: Requester): Promise<ReadIndex<Value> | undefined> {
    if (!this.isOn) return undefined;
    const hasCaughtUp = await this.follower.catchUp();
    const { caughtUpUs } = this.follower;
    const answer = await this.supervisor.read<Value>(asked, caller);
    if (answer === undefined || answer.position.epoch !== this.follower.epoch) return undefined;
    const { value, us, position } = answer;
    const { fromUs, epoch } = position;
    // It may have been emptied since, to be built anew.
    const isComplete = hasCaughtUp && fromUs < 0 && position.us >= caughtUpUs;
    return { value, indexedUs: fromUs < 0 ? us : -1, isComplete, fromUs, epoch };
  }

  /** Regions of listed assets and currencies of their amounts, the most frequent first. */
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

/** Whether an index that is being built may lack changes between an instant and those that it has. */
function mayLackChangesAfter(us: number, { fromUs, indexedUs, isComplete }: ReadIndex<unknown>): boolean {
  return fromUs >= 0 ? us < fromUs : indexedUs < 0 && !isComplete;
}
