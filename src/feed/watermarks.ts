import type { WallClock } from './clock/wall-clock.js';
import type { Asset } from '../database/entities/asset.entity.js';
import { unavailable } from '../platform/errors/errors.js';
import { SingleFlight } from '../platform/concurrency/single-flight.js';
import type { LedgerObserver } from './writing/ledger-observer.js';

export interface Durability {
  /** Whether a reader can see a commit that a crash would still take back, until a later commit makes it durable. */
  needsBarrier(): boolean;
  /** Makes everything durable that is visible now, by one small commit; begun again where the database is lost meanwhile. */
  flush(): Promise<void>;
  /** How often the database was lost. A crash may have taken back what was visible before. */
  timesLost(): number;
}

/**
 * The read barrier. Where a commit is visible before it is durable, an answer waits until everything that it shows is durable. Otherwise a
 * crash could take back what a reader has seen, and new changes could appear behind the reader's offset.
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

  /** Called with the last instant of each batch of this process: its commit has made everything before it durable, too. */
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
   * @returns a function that ends that
   */
  whenRaised(act: () => void): () => void {
    this.listeners.add(act);
    return () => void this.listeners.delete(act);
  }
}

interface KnownTimes {
  wallClock: Pick<WallClock, 'nowUs' | 'isBelieved'>;
  settled: SettledWatermark;
  durable: DurableWatermark;
  /** The local day of an instant, `2017-08-16`. */
  dayOf: (us: number) => string;
  /** How far an instant may be ahead of the time and still say which day it is; in microseconds. */
  mostLeadUs?: number;
}

/** The time as the ledger of a process asks for it. In microseconds. */
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

  /** The instant that is proposed to the feed's clock: never behind what this process has seen, even if the database goes back to an older state. */
  candidateUs(): number {
    return Math.max(this.known.wallClock.nowUs(), this.known.settled.us + 1);
  }

  /** The time. The feed's clock may be ahead of it. */
  timeUs(): number {
    return this.known.wallClock.nowUs();
  }

  /** Whether the time is believed: while it is not, nothing is written. */
  mayWrite(): boolean {
    return this.known.wallClock.isBelieved;
  }

  /** The local day under which an asset created at an instant is numbered: the instant's, or today where it is far ahead. */
  dayOf(us: number): string {
    const { wallClock, dayOf, mostLeadUs = Infinity } = this.known;
    const nowUs = wallClock.nowUs();
    return dayOf(us - nowUs > mostLeadUs ? nowUs : us);
  }
}
