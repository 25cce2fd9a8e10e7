import { logger } from '../../platform/logging/logger.js';

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
