import { unavailable } from '../../platform/errors/errors.js';
import { logger } from '../../platform/logging/logger.js';

/*
 * What keeps the database from its work: no answer in time, what is told of it, rights that lack, and writes that it does not take.
 */

/** No answer came in time. */
export class DeadlineError extends Error {}

/** After a pause of the whole process its timers run before it reads the answers that have come meanwhile. */
const GRACE_MS = 50;

/**
 * A deadline for an answer. A pause of the whole process counts as half of the time at most: a server of the same machine may have paused as
 * well.
 * @returns what revokes it
 */
export function deadline(ms: number, expire: () => void): () => void {
  const end = (): void => void (timer = setTimeout(expire, GRACE_MS));
  let timer = setTimeout(() => (timer = setTimeout(end, ms / 2)), ms / 2);
  return () => clearTimeout(timer);
}

/**
 * The driver has no deadline for answers, so a frozen server would hold a request for ever.
 * @param giveUp called before the rejection with DeadlineError; it must make sure that nobody waits behind the lost answer
 */
export function within<T>(ms: number, answer: Promise<T>, giveUp: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const revoke = deadline(ms, () => {
      giveUp();
      reject(new DeadlineError('The database did not answer in time'));
    });
    answer.then(
      (value) => {
        revoke();
        resolve(value);
      },
      (reason) => {
        revoke();
        reject(reason);
      },
    );
  });
}

/** @returns `work`, refused with 503 where what it needs comes later than `ms` milliseconds from now */
export function startedWithin<Held, T>(ms: number, work: (held: Held) => Promise<T>): (held: Held) => Promise<T> {
  const sinceMs = performance.now();
  return (held) => {
    if (performance.now() - sinceMs > ms) throw unavailable('deadline');
    return work(held);
  };
}

/** Troubles that come and go within that time are one. */
const REST_MS = 1_000;

/** What keeps the database from some of its work: the log has one line when it begins, and one when it is over. */
export class Incident {
  private reason: string | undefined;
  private seenMs = 0;

  /** What the log says. */
  constructor(
    private readonly begins: string,
    private readonly ends: string,
  ) {}

  /** The reason of the trouble, in the words of an operator; undefined while there is none. */
  get why(): string | undefined {
    return this.reason;
  }

  /** The trouble was seen, for the first time or again. @param details for the log */
  seen(why: string, details: object = {}): void {
    if (this.reason === undefined) logger.warn({ ...details, reason: why }, this.begins);
    this.reason = why;
    this.seenMs = performance.now();
  }

  /** @param why as a look at it has shown; undefined where that has shown nothing */
  looked(why: string | undefined, details: object): void {
    if (why === undefined) this.notSeen(details);
    else this.seen(why, details);
  }

  over(details: object = {}): void {
    if (this.reason === undefined) return;
    this.reason = undefined;
    logger.info(details, this.ends);
  }

  /** A sign that it may be over: it is, when it was not seen for a while. */
  notSeen(details: object = {}): void {
    if (performance.now() - this.seenMs >= REST_MS) this.over(details);
  }
}

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
