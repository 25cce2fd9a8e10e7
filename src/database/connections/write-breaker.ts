import { Incident } from './incident.js';

/** For how long writes are kept away; then one may try. */
const PAUSE_MS = 1_000;
/** How long that one may take before another may try: longer than a request waits. */
const TRIAL_MS = 8_000;
/** Failures in a row that might each have been the last. */
const MAX_IN_A_ROW = 5;
/** Or for how long they may come, each after a wait of the server's: less than a request waits. */
const LONGEST_ROW_MS = 4_000;

/**
 * Keeps writes away from a database that answers and does not take them (full, read-only, locked by somebody), so that they fail at once
 * instead of one by one. Reads go on.
 */
export class WriteBreaker {
  private keptAwayUntil: number | undefined;
  private inARow = 0;
  private firstMs = 0;
  private readonly trouble = new Incident('the database takes no changes', 'the database takes changes again');
  private readonly shortage = new Incident(
    'the disk has too little room for changes',
    'the disk has room for changes again',
  );

  /** @param now milliseconds that never go back */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether a write need not try. */
  get isOpen(): boolean {
    if (this.shortage.why !== undefined) return true;
    return this.keptAwayUntil !== undefined && this.now() < this.keptAwayUntil;
  }

  /** Why the last changes were not taken; undefined when one was taken since. */
  get refusal(): string | undefined {
    return this.shortage.why ?? this.trouble.why;
  }

  /** Whether the disk has too little room for anything but the commands of operators. */
  get isShortOfDisk(): boolean {
    return this.shortage.why !== undefined;
  }

  /** @param why the disk has too little room; undefined where it has enough */
  noteShortage(why: string | undefined): void {
    if (why === undefined) this.shortage.over();
    else this.shortage.seen(why);
  }

  /** Somebody tries, or looks what became of an earlier write; while it does, the others are kept away. */
  tried(): void {
    if (this.keptAwayUntil !== undefined) this.keptAwayUntil = this.now() + TRIAL_MS;
  }

  /** A try is over and has shown nothing. */
  gaveUp(): void {
    if (this.keptAwayUntil !== undefined) this.keptAwayUntil = Math.min(this.keptAwayUntil, this.now() + PAUSE_MS);
  }

  /** A write was refused for a reason that the next one would meet as well. */
  refused(why: string): void {
    this.keptAwayUntil = this.now() + PAUSE_MS;
    this.trouble.seen(why);
  }

  /** A write failed as one may now and then. */
  failed(why: string): void {
    if (this.inARow === 0) this.firstMs = this.now();
    this.inARow++;
    if (this.inARow >= MAX_IN_A_ROW || this.now() - this.firstMs >= LONGEST_ROW_MS) this.refused(why);
  }

  /** A write was kept, or another host takes them from now on. */
  succeeded(): void {
    this.keptAwayUntil = undefined;
    this.inARow = 0;
    this.trouble.over();
  }
}
