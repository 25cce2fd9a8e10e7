import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { TIME_BUDGETS_MS } from '../platform/config/time-budgets.js';
import type { ReadAsset } from '../database/readers/asset-row.js';
import { Database } from '../database/database.js';
import type { FeedRange } from '../database/readers/feed-reader.js';
import type { IndexedAsset, IndexedPart, IndexPosition } from '../database/search/indexed-asset.js';
import { ApiError } from '../platform/errors/api-error.js';
import { ExactFeed } from '../feed/reading/exact-feed.js';
import { SingleFlight } from '../platform/concurrency/single-flight.js';
import { logger } from '../platform/logging/logger.js';
import { IndexSupervisor } from './index-supervisor.js';
import { SearchableAssets } from './searchable-assets.js';

/** The index follows the feed at this interval also without searches, so that the next search need not wait. */
const TICK_MS = 1_000;
/** Assets per read: their terms are computed in the event loop. */
const PAGE_SIZE = 50;
/** Approximate assets per transaction of the index. */
const ASSETS_PER_TRANSACTION = 1_000;
const WHOLE_ASSETS = {
  afterUs: -1,
  beforeUs: Number.MAX_SAFE_INTEGER,
  newestFirst: true,
  limit: PAGE_SIZE,
  whole: true,
} as const;

/** Assets read from a range of the feed. */
interface AssetsOfRange {
  epoch: string;
  /** In the order of reading. */
  assets: IndexedAsset[];
  /** Whether the range is exhausted. */
  isLast: boolean;
}

/**
 * Copies the registry's feed into the search index: every second, and before every search. A new index is filled from the newest change
 * backwards, and newer changes are added meanwhile. The position is stored in the index, so several processes may write to it: a process whose
 * position is outdated continues from the stored one.
 */
@Injectable()
export class IndexFollower implements OnApplicationBootstrap, OnModuleDestroy {
  /** The feed's epoch at the last read. */
  epoch = '';
  /** The newest change in the index when it was last complete, in microseconds. */
  caughtUpUs = -1;
  /** Concurrent callers share the next step. */
  private readonly steps = new SingleFlight(() => this.step());
  private timer: NodeJS.Timeout | undefined;
  private isTicking = false;
  private isStopped = false;
  /** Whether the index has at least its first assets, or all of an empty feed. */
  private isReadable = false;
  private backToUs = -1;

  constructor(
    private readonly database: Database,
    private readonly supervisor: IndexSupervisor,
    private readonly feed: ExactFeed,
    private readonly searchable: SearchableAssets,
  ) {}

  /** While the index is being built: it has every change from this instant on, in microseconds; else undefined. */
  get builtBackToUs(): number | undefined {
    return this.backToUs < 0 ? undefined : this.backToUs;
  }

  onApplicationBootstrap(): void {
    if (this.supervisor.isOn) this.timer = setInterval(() => void this.tick(), TICK_MS).unref();
  }

  /** Follows the feed to its end; does nothing if another call is doing so. */
  async tick(): Promise<void> {
    if (this.isTicking) return;
    this.isTicking = true;
    try {
      while ((await this.steps.run()) === false) await setImmediate();
    } catch (error) {
      if (!(error instanceof ApiError)) logger.error({ reason: (error as Error).message }, 'the feed was not indexed');
    } finally {
      this.isTicking = false;
    }
  }

  /**
   * Waits up to `TIME_BUDGETS_MS.searchCatchUp` until the index has everything that is visible now. Before its first assets are indexed it
   * waits without limit; while the index is being built it does not wait.
   * @returns whether the index has everything
   * @throws ApiError 503 while the database is down
   */
  async catchUp(): Promise<boolean> {
    const late = sleep(TIME_BUDGETS_MS.searchCatchUp, undefined, { ref: false });
    let hasAll: boolean | undefined = false;
    while (hasAll === false && !(this.isReadable && this.backToUs >= 0))
      hasAll = await (this.isReadable ? Promise.race([this.steps.run(), late]) : this.steps.run());
    return hasAll === true;
  }

  /** Indexes a part of the feed. @returns whether the index has everything that was visible at the call; undefined if it cannot be written for now */
  private async step(): Promise<boolean | undefined> {
    await this.database.ready();
    const at = this.isStopped ? undefined : await this.supervisor.write<IndexPosition>('position');
    if (at === undefined) return undefined;
    this.backToUs = at.fromUs;
    // From the last indexed change on: its asset is still there or has moved to the end, unless the database was rolled back.
    const range = { ...WHOLE_ASSETS, afterUs: at.us - 1, newestFirst: false, limit: 2, whole: false };
    const { epoch, entries } = await this.feed.read(range);
    this.epoch = epoch;
    const isRolledBack = at.us >= 0 && entries.length === 0;
    if (epoch !== at.epoch || isRolledBack) return this.empty(at, epoch);
    if (entries.some(({ modifiedUs }) => modifiedUs > at.us)) return this.indexNewer(at);
    if (at.fromUs >= 0) return this.indexOlder(at);
    this.isReadable = true;
    this.reportComplete(at);
    return true;
  }

  private async empty(from: IndexPosition, epoch: string): Promise<false | undefined> {
    if (from.epoch !== '') logger.warn('the search index is of another history of the registry: rebuilding it');
    const isEmpty = await this.supervisor.write<boolean>({ empty: { from, epoch } });
    return isEmpty === undefined ? undefined : false;
  }

  /** An empty index starts with the newest changes. */
  private async indexNewer(from: IndexPosition): Promise<boolean | undefined> {
    if (from.us < 0) return this.indexOlder(from);
    const { epoch, assets, isLast } = await this.readRange({ ...WHOLE_ASSETS, afterUs: from.us, newestFirst: false });
    const us = assets.at(-1)?.modifiedUs ?? from.us;
    if (epoch !== from.epoch) return false;
    return this.add({ from, to: { ...from, us }, assets }, isLast);
  }

  private async indexOlder(from: IndexPosition): Promise<boolean | undefined> {
    const beforeUs = from.us < 0 ? WHOLE_ASSETS.beforeUs : from.fromUs;
    const { epoch, assets, isLast } = await this.readRange({ ...WHOLE_ASSETS, beforeUs });
    if (epoch !== from.epoch) return false;
    const us = from.us < 0 ? (assets[0]?.modifiedUs ?? from.us) : from.us;
    const to = { epoch, us, fromUs: isLast ? -1 : (assets.at(-1)?.modifiedUs ?? -1) };
    return this.add({ from, to, assets: assets.toReversed() }, isLast);
  }

  /** @param isLast whether the feed has nothing more in this direction */
  private async add(part: IndexedPart, isLast: boolean): Promise<boolean | undefined> {
    const isAdded = await this.supervisor.write<boolean>({ add: part });
    // Another process was faster, or the index was emptied.
    if (isAdded !== true) return isAdded;
    this.isReadable = true;
    this.backToUs = part.to.fromUs;
    if (!isLast || part.to.fromUs >= 0) return false;
    this.reportComplete(part.to);
    return true;
  }

  private reportComplete({ us }: IndexPosition): void {
    this.supervisor.noteWritten();
    this.caughtUpUs = us;
  }

  private async readRange({ ...range }: FeedRange): Promise<AssetsOfRange> {
    const assets: IndexedAsset[] = [];
    for (;;) {
      const { epoch, limit, entries } = await this.feed.read(range);
      for (const { asset } of entries) assets.push(this.searchable.indexed(asset as ReadAsset));
      const isLast = entries.length < limit;
      if (isLast || assets.length >= ASSETS_PER_TRANSACTION) return { epoch, assets, isLast };
      const us = entries.at(-1)?.modifiedUs ?? -1;
      if (range.newestFirst) range.beforeUs = us;
      else range.afterUs = us;
      await setImmediate();
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.steps.run().catch(() => undefined);
    await this.supervisor.close();
  }
}
