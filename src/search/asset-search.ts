import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';
import { Database } from '../database/database.js';
import type { IndexRange, SearchReader } from '../database/search/search-reader.js';
import { CatchingUp } from './catching-up.js';
import { IndexKeeper } from './index-keeper.js';
import { matchOf } from './match.js';
import { SearchableAssets } from './searchable-assets.js';
import { fold, keyOf } from './words.js';

/** What is looked for. Instants are microseconds, and both bounds are exclusive. */
export interface SearchQuery {
  /** Words of the title by their beginnings, an assetID or its day, an id, a custodian's code: all must match. Empty: everything. */
  text: string;
  status?: string | undefined;
  /** A name of a type, or an alias. */
  assetType?: string | undefined;
  /** The name of a region; where there is no such region, the beginning of names. */
  region?: string | undefined;
  afterUs: number;
  beforeUs: number;
  newestFirst: boolean;
  limit: number;
}

export interface SearchPage {
  hits: { id: string; modifiedUs: number }[];
  /** Whether the index had everything that was visible when the search began. */
  isComplete: boolean;
  /** The index's watermark: it has every change up to this instant, in microseconds; -1 before the first. */
  indexedUs: number;
}

const MOST_AT_ONCE = 8;
/** Searches that count as one page in a turn of the event loop: with one, they would wait too long beside many reads of single assets. */
const SEARCHES_FOR_A_PAGE = 2;
const MOST_REGIONS = 50;
/** How many regions with the same beginning are searched: each costs the reading of a list. */
const MOST_ALIKE = 30;
const NOTHING: SearchPage = { hits: [], isComplete: false, indexedUs: -1 };

/** Finds listed assets, by an index that follows the feed. */
@Injectable()
export class AssetSearch {
  /** A semaphore. Those who wait for it are few, by admission control. */
  private readonly atOnce = pLimit(MOST_AT_ONCE);
  /**
   * Semaphore for one turn of the event loop. On SQLite, whose calls block, a page is found, read and printed in one turn. Without a bound, all
   * pages asked for together would be made in the same turn, and new connections would wait most: Node accepts one a turn.
   */
  private readonly inOneTurn: LimitFunction;
  private regionsKept: { names: string[]; indexedUs: number } = { names: [], indexedUs: NaN };

  constructor(
    private readonly keeper: IndexKeeper,
    private readonly catchingUp: CatchingUp,
    private readonly searchable: SearchableAssets,
    { dialect }: Database,
  ) {
    this.inOneTurn = pLimit(Math.min(MOST_AT_ONCE, SEARCHES_FOR_A_PAGE * dialect.pagesInATurn));
  }

  /** Whether there is a search: it is configured, and its index has not failed. */
  get isOn(): boolean {
    return this.keeper.isOn;
  }

  /**
   * A page of hits, in the order of the feed or reversed. Whatever was acknowledged before is found, unless `isComplete` says that the index is
   * not that far yet.
   * @throws ApiError 503 while the database is away
   */
  async find(query: SearchQuery): Promise<SearchPage> {
    if (!this.isOn) return NOTHING;
    const isComplete = await this.catchingUp.soon();
    const found = await this.atOnce(async () => {
      await this.inOneTurn(() => turn());
      return this.keeper.reading((reader) => reader.find(this.rangeOf(query, reader)));
    });
    // An index of another epoch holds another history, which must not be shown.
    if (found === undefined || found.position.epoch !== this.catchingUp.epoch) return NOTHING;
    return { hits: found.hits, isComplete, indexedUs: found.position.us };
  }

  private rangeOf(query: SearchQuery, reader: SearchReader): IndexRange {
    const { text, status, region, afterUs, beforeUs, newestFirst, limit } = query;
    const assetType = query.assetType && this.searchable.typeName(query.assetType);
    const regions = region ? reader.regionsLike(keyOf(fold(region)), MOST_ALIKE) : undefined;
    const { match, isHopeless } = matchOf({ text, status, assetType, regions });
    return { match, afterUs, beforeUs, newestFirst, limit: isHopeless ? 0 : limit };
  }

  /** Names of regions of listed assets as they were written, the most frequent first, at most 50. */
  async regions(): Promise<string[]> {
    const { indexedUs } = this.catchingUp;
    if (this.regionsKept.indexedUs !== indexedUs) {
      const names = await this.keeper.reading((reader) => Promise.resolve(this.regionsIn(reader)));
      this.regionsKept = { names: names ?? [], indexedUs };
    }
    return this.regionsKept.names;
  }

  /** None from an index of another epoch, which holds another history. */
  private regionsIn(reader: SearchReader): string[] {
    return reader.epoch === this.catchingUp.epoch ? reader.regions(MOST_REGIONS) : [];
  }
}
