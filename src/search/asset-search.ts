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

/** What is looked for. Instants are microseconds; both bounds are outside of it. */
export interface SearchQuery {
  /** Words of the title by their beginnings, an assetID or its day, an id, a custodian's code: all of it must meet. Empty: anything. */
  text: string;
  status?: string | undefined;
  /** A name of a type, or an alias. */
  assetType?: string | undefined;
  /** The name of a region; or how names begin, where there is none of that name. */
  region?: string | undefined;
  afterUs: number;
  beforeUs: number;
  newestFirst: boolean;
  limit: number;
}

export interface SearchPage {
  hits: { id: string; modifiedUs: number }[];
  /** Whether the index had taken in everything that was visible when it was asked. */
  isComplete: boolean;
  /** The change up to which it had, in microseconds; -1 before the first. */
  indexedUs: number;
}

const MOST_AT_ONCE = 8;
/** With one, searches would come too short beside many single reads. */
const MOST_IN_A_TURN = 2;
const MOST_REGIONS = 50;
/** Of regions that begin alike: each is a list that is read. */
const MOST_ALIKE = 30;
const NOTHING: SearchPage = { hits: [], isComplete: false, indexedUs: -1 };

/** Finds listed assets, by an index that follows the feed. */
@Injectable()
export class AssetSearch {
  /** Who comes later waits: the door has let in few enough. */
  private readonly atOnce = pLimit(MOST_AT_ONCE);
  /**
   * Where the database is SQLite, a page is found, read and printed without giving the event loop back. All that come together would be made
   * in one turn of it, for which others wait, and new connections most: Node takes one in a turn.
   */
  private readonly inOneTurn: LimitFunction;
  private regionsKept: { names: string[]; indexedUs: number } = { names: [], indexedUs: NaN };

  constructor(
    private readonly keeper: IndexKeeper,
    private readonly catchingUp: CatchingUp,
    private readonly searchable: SearchableAssets,
    { dialect }: Database,
  ) {
    this.inOneTurn = pLimit(dialect.overNetwork ? MOST_AT_ONCE : MOST_IN_A_TURN);
  }

  /** Whether there is a search: it is configured, and nothing is known to be wrong with its index. */
  get isOn(): boolean {
    return this.keeper.isOn;
  }

  /**
   * A page of what was found, in the order of the feed or the other way round. Whatever was acknowledged before is found, unless `isComplete`
   * says that the index is not that far yet.
   * @throws ApiError 503 while the database is away
   */
  async find(query: SearchQuery): Promise<SearchPage> {
    if (!this.isOn) return NOTHING;
    const isComplete = await this.catchingUp.soon();
    const found = await this.atOnce(async () => {
      await this.inOneTurn(() => turn());
      return this.keeper.reading((reader) => reader.find(this.rangeOf(query, reader)));
    });
    // What another history tells is not the registry's.
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

  /** Of listed assets, the most frequent first, at most 50; as they were written. */
  async regions(): Promise<string[]> {
    const { indexedUs } = this.catchingUp;
    if (this.regionsKept.indexedUs !== indexedUs) {
      const names = await this.keeper.reading((reader) => Promise.resolve(this.regionsIn(reader)));
      this.regionsKept = { names: names ?? [], indexedUs };
    }
    return this.regionsKept.names;
  }

  /** Those of another history are not the registry's. */
  private regionsIn(reader: SearchReader): string[] {
    return reader.epoch === this.catchingUp.epoch ? reader.regions(MOST_REGIONS) : [];
  }
}
