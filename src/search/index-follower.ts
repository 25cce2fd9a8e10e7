import { setImmediate } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { TIME_BUDGETS_MS } from '../config/time-budgets.js';
import type { ReadAsset } from '../database/asset-row.js';
import { Database } from '../database/database.js';
import type { FeedRange } from '../database/feed-reader.js';
import type { IndexedAsset, IndexedPart, IndexPosition } from '../database/search/indexed-asset.js';
import { ApiError } from '../errors/api-error.js';
import { ExactFeed } from '../feed/reading/exact-feed.js';
import { SingleFlight } from '../feed/single-flight.js';
import { logger } from '../logging/logger.js';
import { IndexKeeper, type IndexWriter } from './index-keeper.js';
import { SearchableAssets } from './searchable-assets.js';

/** How often the index follows the feed while nobody searches, so that the next search need not wait. */
const TICK_MS = 1_000;
/** Assets that are read at once: they are looked through in the event loop. */
const PAGE = 50;
/** Assets of a transaction, about. */
const ASSETS_AT_ONCE = 1_000;
const WHOLE = { afterUs: -1, beforeUs: Number.MAX_SAFE_INTEGER, newestFirst: true, limit: PAGE, whole: true } as const;

/** Assets that were read from one instant of the feed to another. */
interface Gathered {
  epoch: string;
  /** In the order in which they were read. */
  assets: IndexedAsset[];
  /** Whether nothing was left. */
  isEnd: boolean;
}

/** Where the index of a writer is. */
interface KnownPosition {
  writer: IndexWriter;
  at: IndexPosition;
}

/**
 * Lets the index follow the registry's own feed: a little behind while nobody searches, and up to date for every search. A new index begins with
 * the newest changes and goes back to the first one; what is changed meanwhile comes in between. The position is kept in the index, and several
 * processes may write to it: one that finds that another was faster goes on from there.
 */
@Injectable()
export class IndexFollower implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly run = new SingleFlight(() => this.follow());
  private timer: NodeJS.Timeout | undefined;
  private current: Promise<boolean> = Promise.resolve(true);
  private isUnderWay = false;
  private isOver = false;
  private hasBegun = false;
  private tellBegun: () => void = () => undefined;
  /** Resolves once the index has a part of the feed's history, or all of one that is empty. */
  private readonly begun = new Promise<void>((resolve) => (this.tellBegun = resolve));
  /** Undefined where another process may have moved it. */
  private known: KnownPosition | undefined;
  private backToUs = -1;
  private feedEpoch = '';
  private completeUs = -1;

  constructor(
    private readonly database: Database,
    private readonly keeper: IndexKeeper,
    private readonly feed: ExactFeed,
    private readonly searchable: SearchableAssets,
  ) {}

  /** The feed's epoch, as it was read last. */
  get epoch(): string {
    return this.feedEpoch;
  }

  /** While the index is built: it has every change from this instant on, in microseconds; else undefined. */
  get builtBackToUs(): number | undefined {
    return this.backToUs < 0 ? undefined : this.backToUs;
  }

  /** The newest change in the index when it was complete, in microseconds. */
  get caughtUpUs(): number {
    return this.completeUs;
  }

  onApplicationBootstrap(): void {
    if (this.keeper.isOn) this.timer = setInterval(() => void this.tick(), TICK_MS).unref();
  }

  /** Follows the feed to its end, where that is not under way. */
  async tick(): Promise<void> {
    if (this.isUnderWay) return;
    try {
      await this.run.run();
    } catch (error) {
      if (!(error instanceof ApiError)) logger.error({ reason: (error as Error).message }, 'the feed was not indexed');
    }
  }

  /**
   * Waits a moment until the index has everything that is visible now; after the start of the process longer, until it has anything.
   * @returns whether it does
   * @throws ApiError 503 while the database is away
   */
  async soon(): Promise<boolean> {
    const hasAll = await this.run.run();
    if (!this.hasBegun) await Promise.race([this.begun, this.current]);
    return hasAll;
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
    for (;;) {
      const writer = this.isOver ? undefined : this.keeper.writer();
      if (writer === undefined) return false;
      try {
        const hasAll = await this.step(writer);
        this.noteBegin();
        if (hasAll) {
          this.keeper.wasWritten();
          this.completeUs = this.known?.at.us ?? -1;
          return true;
        }
      } catch (error) {
        this.known = undefined;
        await this.keeper.recover(error, writer);
        return false;
      }
      await setImmediate();
    }
  }

  private noteBegin(): void {
    if (this.known?.at.epoch !== this.feedEpoch) return;
    this.hasBegun = true;
    this.tellBegun();
  }

  /** Takes in what is new, or else a part of what is older. @returns whether the index has everything that was visible at the call */
  private async step(writer: IndexWriter): Promise<boolean> {
    if (this.known?.writer !== writer) this.know(writer, await this.keeper.position(writer));
    const { at } = this.known as KnownPosition;
    // With the change at that instant: the asset is still there, or has moved to the end.
    const range = { ...WHOLE, afterUs: at.us - 1, newestFirst: false, limit: 2, whole: false };
    const { epoch, entries } = await this.feed.read(range);
    this.feedEpoch = epoch;
    const isPutBack = at.us >= 0 && entries.length === 0;
    if (epoch !== at.epoch || isPutBack) await this.empty(writer, at, epoch);
    else if (entries.some(({ modifiedUs }) => modifiedUs > at.us)) return this.takeNewer(writer, at);
    else if (at.fromUs >= 0) await this.takeOlder(writer, at);
    else return true;
    return false;
  }

  private async empty(writer: IndexWriter, from: IndexPosition, epoch: string): Promise<void> {
    if (from.epoch !== '') logger.warn('the search index was of another history of the registry: it is built anew');
    this.known = undefined;
    await writer.ask({ empty: { from, epoch } });
  }

  /** An index that is empty begins with the newest changes. */
  private async takeNewer(writer: IndexWriter, from: IndexPosition): Promise<boolean> {
    if (from.us < 0) {
      await this.takeOlder(writer, from);
      return this.known?.at.fromUs === -1;
    }
    const { epoch, assets, isEnd } = await this.gather({ ...WHOLE, afterUs: from.us, newestFirst: false });
    const us = assets.at(-1)?.modifiedUs ?? from.us;
    const isTaken = epoch === from.epoch && (await this.add(writer, { from, to: { ...from, us }, assets }));
    return isTaken && isEnd && from.fromUs < 0;
  }

  private async takeOlder(writer: IndexWriter, from: IndexPosition): Promise<void> {
    const beforeUs = from.us < 0 ? WHOLE.beforeUs : from.fromUs;
    const { epoch, assets, isEnd } = await this.gather({ ...WHOLE, beforeUs });
    if (epoch !== from.epoch) return;
    const us = from.us < 0 ? (assets[0]?.modifiedUs ?? from.us) : from.us;
    const to = { epoch, us, fromUs: isEnd ? -1 : (assets.at(-1)?.modifiedUs ?? -1) };
    await this.add(writer, { from, to, assets: assets.toReversed() });
  }

  private async add(writer: IndexWriter, part: IndexedPart): Promise<boolean> {
    this.known = undefined;
    const isTaken = await writer.ask<boolean>({ add: part });
    if (isTaken) this.know(writer, part.to);
    return isTaken;
  }

  private know(writer: IndexWriter, at: IndexPosition): void {
    this.known = { writer, at };
    this.backToUs = at.fromUs;
  }

  private async gather({ ...range }: FeedRange): Promise<Gathered> {
    const assets: IndexedAsset[] = [];
    for (;;) {
      const { epoch, limit, entries } = await this.feed.read(range);
      for (const { asset } of entries) assets.push(this.searchable.indexed(asset as ReadAsset));
      const isEnd = entries.length < limit;
      if (isEnd || assets.length >= ASSETS_AT_ONCE) return { epoch, assets, isEnd };
      const us = entries.at(-1)?.modifiedUs ?? -1;
      if (range.newestFirst) range.beforeUs = us;
      else range.afterUs = us;
      await setImmediate();
    }
  }

  async onModuleDestroy(): Promise<void> {
    this.isOver = true;
    clearInterval(this.timer);
    await this.current.catch(() => undefined);
    await this.keeper.close();
  }
}
