import { Incident } from './incident.js';

/** How long the breaker stays open; then one write may try. */
const OPEN_MS = 1_000;
/** How long that trial may take before the next: longer than a request waits. */
const TRIAL_MS = 8_000;
/** The breaker opens after so many failures in a row, */
const MAX_FAILURES_IN_A_ROW = 5;
/** or after failures in a row for so long, because each may be a lock wait; shorter than a request waits. */
const MAX_FAILING_MS = 4_000;

/**
 * A circuit breaker for writes: while the database answers but refuses them (disk full, read-only, locked), writes fail at once. Reads are
 * not affected.
 */
export class WriteBreaker {
  private openUntil: number | undefined;
  private failuresInARow = 0;
  private firstFailureMs = 0;
  private readonly refusals = new Incident('the database takes no changes', 'the database takes changes again');
  private readonly shortage = new Incident(
    'the disk has too little room for changes',
    'the disk has room for changes again',
  );

  /** @param now milliseconds that never go back */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether writes fail at once. */
  get isOpen(): boolean {
    if (this.shortage.why !== undefined) return true;
    return this.openUntil !== undefined && this.now() < this.openUntil;
  }

  /** Why the last write was refused; undefined after a success. */
  get refusal(): string | undefined {
    return this.shortage.why ?? this.refusals.why;
  }

  /** Whether the remaining disk space is reserved for operators' commands. */
  get isShortOfDisk(): boolean {
    return this.shortage.why !== undefined;
  }

  /** @param why the disk is too full; undefined if it is not */
  noteShortage(why: string | undefined): void {
    if (why === undefined) this.shortage.resolve();
    else this.shortage.report(why);
  }

  /** A trial write, or the check of an earlier write's outcome, has begun; others are rejected meanwhile. */
  trialStarted(): void {
    if (this.openUntil !== undefined) this.openUntil = this.now() + TRIAL_MS;
  }

  /** The trial ended without a result. */
  trialInconclusive(): void {
    if (this.openUntil !== undefined) this.openUntil = Math.min(this.openUntil, this.now() + OPEN_MS);
  }

  /** A write was refused for a lasting reason: opens the breaker. */
  refused(why: string): void {
    this.openUntil = this.now() + OPEN_MS;
    this.refusals.report(why);
  }

  /** A write failed for a reason that may be temporary: opens the breaker only after several. */
  failed(why: string): void {
    if (this.failuresInARow === 0) this.firstFailureMs = this.now();
    this.failuresInARow++;
    if (this.failuresInARow >= MAX_FAILURES_IN_A_ROW || this.now() - this.firstFailureMs >= MAX_FAILING_MS)
      this.refused(why);
  }

  /** A write was committed, or another host is in use: closes the breaker. */
  succeeded(): void {
    this.openUntil = undefined;
    this.failuresInARow = 0;
    this.refusals.resolve();
  }
}
