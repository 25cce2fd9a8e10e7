import type { WallClock } from './clock/wall-clock.js';
import type { Asset } from '../database/entities/asset.entity.js';
import { unavailable } from '../platform/errors/errors.js';
import { SingleFlight } from '../platform/concurrency/single-flight.js';
import type { LedgerObserver } from './writing/ledger-observer.js';

export interface Durability {
  /** Whether readers can see a commit before it is durable, so that a crash can still lose it. */
  needsBarrier(): boolean;
  /** Makes everything durable that is visible now, by one small commit. Retried if the database is lost meanwhile. */
  flush(): Promise<void>;
  /** How often the connection to the database was lost: a crash may have lost commits that were visible before. */
  timesLost(): number;
}

/**
 * The read barrier. If commits are visible before they are durable, an answer waits until everything that it shows is durable. Otherwise a
 * crash could lose what a reader has seen, and new changes could appear behind the reader's offset.
 */
export class DurableWatermark {
  private durableUs = 0;
  private readonly flush: SingleFlight<void>;

  constructor(
    private readonly durability: Durability,
    private readonly observer?: Pick<LedgerObserver, 'waitedForBarrier'>,
  ) {
    this.flush = new SingleFlight(() => durability.flush());
  }

  /** Called with the last instant of each batch of this process: its commit made everything before it durable. */
  raise(us: number): void {
    if (us > this.durableUs) this.durableUs = us;
  }

  /**
   * Resolves when everything up to an instant is durable.
   * @param us the feed's clock in the snapshot that was read, in microseconds; the last entry's instant is not enough, as the snapshot may
   * lack an entry because of a later change
   * @throws ApiError 503 when the database is away, or was lost meanwhile
   */
  async waitFor(us: number): Promise<void> {
    if (!this.durability.needsBarrier() || us <= this.durableUs) return;
    const askedMs = performance.now();
    const timesLost = this.durability.timesLost();
    await this.flush.run();
    if (this.durability.timesLost() !== timesLost) throw unavailable('changed_meanwhile');
    this.raise(us);
    this.observer?.waitedForBarrier(performance.now() - askedMs);
  }
}

/**
 * The highest value of the feed's clock that this process knows to be settled: every batch up to it is over, and visible to any
 * reader that starts from now on.
 */
export class SettledWatermark {
  private highestUs = 0;
  private readonly listeners = new Set<() => void>();

  get us(): number {
    return this.highestUs;
  }

  raise(us: number): void {
    if (us <= this.highestUs) return;
    this.highestUs = us;
    for (const act of this.listeners) act();
  }

  /**
   * @param act called whenever it is raised, while writers and readers wait: it must be quick and never throw
   * @returns a function that removes the listener
   */
  whenRaised(act: () => void): () => void {
    this.listeners.add(act);
    return () => void this.listeners.delete(act);
  }
}

interface KnownTimes {
  wallClock: Pick<WallClock, 'nowUs' | 'isTrusted'>;
  settled: SettledWatermark;
  durable: DurableWatermark;
  /** The local day of an instant, `2017-08-16`. */
  dayOf: (us: number) => string;
  /** If an instant is ahead of the wall clock by more than this, in microseconds, the wall clock decides the day. */
  maxLeadUs?: number;
}

/** The ledger's view of time, in microseconds. */
export class LedgerClock {
  constructor(private readonly known: KnownTimes) {}

  /** Called with the last instant of a batch after its commit, before any of its requests is answered. */
  committed(lastUs: number): void {
    this.known.settled.raise(lastUs);
    this.known.durable.raise(lastUs);
  }

  /** Resolves when everything up to the newest of these assets is durable. @throws ApiError 503 */
  untilDurable(assets: readonly Pick<Asset, 'modifiedUs'>[]): Promise<void> {
    return this.known.durable.waitFor(assets.reduce((latest, { modifiedUs }) => Math.max(latest, modifiedUs), 0));
  }

  /** The instant proposed to the feed's clock: after everything this process has seen, even if the database goes back to an older state. */
  candidateUs(): number {
    return Math.max(this.known.wallClock.nowUs(), this.known.settled.us + 1);
  }

  /** The wall clock's time. The feed's clock may be ahead of it. */
  timeUs(): number {
    return this.known.wallClock.nowUs();
  }

  /** Whether the clock is trusted. Otherwise writes are refused. */
  mayWrite(): boolean {
    return this.known.wallClock.isTrusted;
  }

  /** The local day in the assetID of an asset created at an instant: the instant's day, or today if the instant is far ahead. */
  dayOf(us: number): string {
    const { wallClock, dayOf, maxLeadUs = Infinity } = this.known;
    const nowUs = wallClock.nowUs();
    return dayOf(us - nowUs > maxLeadUs ? nowUs : us);
  }
}
