import type { ReadAsset } from '../../src/database/readers/asset-row.js';
import { formatAssetId } from '../../src/feed/asset-identifiers.js';
import type { Asset } from '../../src/database/entities/asset.entity.js';
import type { FeedEntry, FeedRange } from '../../src/database/readers/feed-reader.js';
import { DurableWatermark, LedgerClock, SettledWatermark } from '../../src/feed/watermarks.js';
import { Ledger } from '../../src/feed/writing/ledger.js';
import type { Operation } from '../../src/feed/writing/operation.js';
import { type Timing, WallClock } from '../../src/feed/clock/wall-clock.js';
import { ReadPoint } from '../../src/feed/read-point.js';
import { ExactFeed } from '../../src/feed/reading/exact-feed.js';
import { PublicStates, type StatesInOrder } from '../../src/feed/reading/public-states.js';
import { ShownAssets } from '../../src/feed/reading/shown-assets.js';
import { FeedPages } from '../../src/listing/feed-pages.js';
import { NEXT_PAGE, ChangeTail } from '../../src/listing/live/change-tail.js';
import { EventFollower, type FollowedStream, type FollowerParts } from '../../src/listing/live/event-follower.js';
import { EventPage } from '../../src/listing/live/event-page.js';
import { choiceOf } from '../../src/listing/live/field-choices.js';
import { RegistryTime } from '../../src/platform/time/registry-time.js';
import type { Random } from '../support/random.js';
import type { Faults } from './simulated-connection.js';
import type { AssumedRules, SimulatedDatabase } from './simulated-database.js';
import { SimulatedStore } from './simulated-store.js';

/** Shortly before midnight, so that batches span it. */
const BEGINNING_MS = Date.UTC(2026, 9, 24, 23, 59, 58);

export const TIME = new RegistryTime('UTC');
/** Events per page: few, so that many reads need several pages. */
const EVENTS = 20;

const unasked = (): Promise<never> => Promise.reject(new Error('The simulation reads assets by id only'));

/** The process was killed before it answered. */
export class KilledError extends Error {}

/** One process of the service: the real ledger and the real feed, over a simulated database and in virtual time. */
export class SimulatedService {
  isAlive = true;
  frozenUntilMs = 0;
  private readonly store: SimulatedStore;
  private readonly ledger: Ledger;
  private readonly feed: ExactFeed;
  private readonly states: PublicStates;
  private readonly assets: ShownAssets;
  private readonly following: FollowerParts;
  private readonly killed: Promise<never>;
  private tellKilled: (error: KilledError) => void = () => undefined;

  constructor(
    private readonly database: SimulatedDatabase,
    faults: () => Faults,
    random: Random,
    /** By how much its system's time is wrong, now. */
    private readonly wrongByMs: () => number,
    assumed: AssumedRules = database.rules,
  ) {
    this.store = new SimulatedStore(database, this, faults, random.fork(), assumed);
    const settled = new SettledWatermark();
    const wallClock = new WallClock({
      wallMs: () => BEGINNING_MS + database.time.nowMs + this.wrongByMs(),
      monotonicMs: () => database.time.nowMs,
    });
    wallClock.isTrusted = true;
    const timing = this.timing(random.fork());
    const durable = new DurableWatermark(this.store);
    this.feed = new ExactFeed(this.store, this.store, settled, durable, new ReadPoint(this.store, settled));
    const after = (us: number) => this.store.endedAfter(us);
    const ended = { after, untilByModified: unasked, storedStates: unasked, assetsOf: unasked };
    this.states = new PublicStates(this.feed, ended, { findFitting: unasked }, { at: unasked });
    this.assets = new ShownAssets(
      {
        find: (id) => this.store.find(id),
        findFitting: unasked,
        findRow: unasked,
        findListed: unasked,
        anyExists: unasked,
      },
      durable,
      { assetIdPrefix: 'UA' },
    );
    const pages = new FeedPages(this.feed);
    const observer = { sent: () => undefined };
    const tail = new ChangeTail(pages, settled, { time: TIME, nowUs: () => wallClock.nowUs(), observer, timing });
    const read = (afterUs: number): Promise<EventPage> =>
      pages.read({ ...NEXT_PAGE, afterUs, limit: EVENTS }, (page) => EventPage.print(page, [], TIME));
    this.following = { tail, timing, read, charge: () => 0 };
    const dayOf = (us: number): string => new Date(us / 1_000).toISOString().slice(0, 10);
    this.ledger = new Ledger({
      store: this.store,
      timing,
      clock: new LedgerClock({ wallClock, settled, durable, dayOf }),
      assetIdOf: (day, number) => formatAssetId('UA', day, number),
    });
    this.killed = new Promise((_, reject) => (this.tellKilled = reject));
    this.killed.catch(() => undefined);
  }

  submit(operation: Operation): Promise<Asset[]> {
    return this.answer(() => this.ledger.submit(operation));
  }

  page(range: FeedRange): Promise<FeedEntry[]> {
    return this.answer(async () => (await this.feed.read(range)).entries);
  }

  /** The public states that began after an instant, as the log asks for them. */
  statesAfter(us: number): Promise<StatesInOrder> {
    return this.answer(async () => this.states.between(us, (await this.feed.settle()).readPointUs));
  }

  /** One asset, as GET shows it. */
  find(id: string): Promise<ReadAsset | undefined> {
    return this.answer(() => this.assets.find(id));
  }

  /** Sends the feed after an instant as events until the stream is over. Resolves once it has begun. */
  followLive(stream: FollowedStream, afterUs: number): Promise<void> {
    return this.answer(async () => {
      const choice = choiceOf([]);
      const first = await this.following.read(afterUs, choice);
      const caller = {
        releaseSlot: () => undefined,
        reacquireSlot: () => Promise.resolve(),
        chargeWork: () => undefined,
      };
      new EventFollower(this.following, { stream, caller, address: '' }, choice, afterUs, first.epoch).begin(first);
    });
  }

  /** Resolves when its lane has nothing left to do. */
  idle(): Promise<void> {
    return this.ledger.idle();
  }

  kill(): void {
    this.isAlive = false;
    this.store.kill();
    this.tellKilled(new KilledError());
  }

  private answer<T>(work: () => Promise<T>): Promise<T> {
    return this.isAlive ? Promise.race([work(), this.killed]) : Promise.reject(new KilledError());
  }

  /** The timers of a frozen process are late. */
  private timing(random: Random): Timing {
    const { time } = this.database;
    const awake = (act: () => void): void => {
      if (time.nowMs < this.frozenUntilMs) time.at(this.frozenUntilMs, () => awake(act));
      else if (this.isAlive) act();
    };
    return {
      sleep: (ms) => new Promise((resolve) => void time.after(ms, () => awake(resolve))),
      immediate: () => Promise.resolve(),
      nowMs: () => time.nowMs,
      after: (ms, act) => time.after(ms, () => awake(act)),
      random: () => random.next(),
    };
  }
}
