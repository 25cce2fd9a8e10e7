import { type LedgerObserver, UNOBSERVED_LEDGER } from './writing/ledger-observer.js';
import { SingleFlight } from './single-flight.js';

/** What the database says of its commits. */
export interface Durability {
  /** True where a reader can see a commit before it would survive a crash, and a later commit makes it survive. */
  needsBarrier(): boolean;
  /** Makes everything durable that was visible before: one small commit of its own. */
  flush(): Promise<void>;
}

/**
 * The read barrier. Where a commit can be seen before it is durable, an answer waits until what it shows is: otherwise readers could
 * hold, after a crash, what the registry has forgotten, and stand at an offset that new changes come behind.
 */
export class DurableClock {
  private durableUs = 0;
  private readonly flush: SingleFlight<void>;

  constructor(
    private readonly durability: Durability,
    private readonly observer: Pick<LedgerObserver, 'waitedForBarrier'> = UNOBSERVED_LEDGER,
  ) {
    this.flush = new SingleFlight(() => durability.flush());
  }

  /** Told the highest instant of each own batch: its commit has flushed everything before it, too. */
  raise(us: number): void {
    if (us > this.durableUs) this.durableUs = us;
  }

  /**
   * Resolves when everything up to an instant is durable.
   * @param us the clock of the snapshot that was read, in microseconds; not the last entry's, which may hide a later change
   * @throws ApiError 503 when the database is away
   */
  async waitFor(us: number): Promise<void> {
    if (!this.durability.needsBarrier() || us <= this.durableUs) return;
    const askedMs = performance.now();
    await this.flush.run();
    this.raise(us);
    this.observer.waitedForBarrier(performance.now() - askedMs);
  }
}
