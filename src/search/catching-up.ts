import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { TIME_BUDGETS_MS } from '../config/time-budgets.js';
import { Database } from '../database/database.js';
import { ApiError } from '../errors/api-error.js';
import { SingleFlight } from '../feed/single-flight.js';
import { ExactFeed } from '../feed/reading/exact-feed.js';
import { logger } from '../logging/logger.js';
import { IndexFollower } from './index-follower.js';
import { IndexKeeper } from './index-keeper.js';
import { SearchableAssets } from './searchable-assets.js';

/** How often the index follows the feed while nobody searches, so that the next search need not wait. */
const TICK_MS = 1_000;

/** Lets the index follow the feed: a little behind while nobody searches, and up to date for every search. */
@Injectable()
export class CatchingUp implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly follower: IndexFollower;
  private readonly run = new SingleFlight(() => this.follow());
  private timer: NodeJS.Timeout | undefined;
  /** The last run, and whether it is under way. */
  private current: Promise<boolean> = Promise.resolve(true);
  private isUnderWay = false;
  private isOver = false;
  /** When the last search came. */
  private searchedMs = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly keeper: IndexKeeper,
    feed: ExactFeed,
    searchable: SearchableAssets,
  ) {
    this.follower = new IndexFollower({ feed, searchable }, () => performance.now() - this.searchedMs < TICK_MS);
  }

  /** The feed's epoch, as it was read last. */
  get epoch(): string {
    return this.follower.epoch;
  }

  /** The index's watermark when it was read last, in microseconds. */
  get indexedUs(): number {
    return this.follower.indexedUs;
  }

  onApplicationBootstrap(): void {
    if (!this.keeper.isOn) return;
    this.timer = setInterval(() => void this.tick(), TICK_MS).unref();
  }

  private async tick(): Promise<void> {
    if (this.isUnderWay) return;
    try {
      await this.run.run();
    } catch (error) {
      if (!(error instanceof ApiError)) logger.error({ reason: (error as Error).message }, 'the feed was not indexed');
    }
  }

  /**
   * Waits a moment until the index has everything that is visible now.
   * @returns whether it does
   * @throws ApiError 503 while the database is away
   */
  soon(): Promise<boolean> {
    this.searchedMs = performance.now();
    return this.run.run();
  }

  /** Nobody waits for a run that takes longer: the index is far behind, for example while it is built. */
  private follow(): Promise<boolean> {
    if (this.isUnderWay) return Promise.resolve(false);
    this.isUnderWay = true;
    const run = this.followToEnd().finally(() => (this.isUnderWay = false));
    this.current = run;
    return new Promise((resolve, reject) => {
      const patience = setTimeout(resolve, TIME_BUDGETS_MS.searchCatchesUp, false);
      void run.then(resolve, reject).finally(() => clearTimeout(patience));
    });
  }

  private async followToEnd(): Promise<boolean> {
    await this.database.ready();
    const index = this.isOver ? undefined : this.keeper.index();
    if (index === undefined) return false;
    try {
      const isAtEnd = await this.follower.follow(index, () => !this.isOver && this.keeper.index() === index);
      if (isAtEnd) this.keeper.wasWritten();
      return isAtEnd;
    } catch (error) {
      this.keeper.recover(error, index);
      return false;
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.isOver = true;
    clearInterval(this.timer);
    await this.current.catch(() => undefined);
    this.keeper.close();
  }
}
