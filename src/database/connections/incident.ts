import { logger } from '../../platform/logging/logger.js';

/** Failures with shorter gaps than this are one incident. */
const MAX_GAP_MS = 1_000;

/** Logs one line when a failure of the database begins, and one when it is over. */
export class Incident {
  private reason: string | undefined;
  private reportedMs = 0;

  constructor(
    private readonly startMessage: string,
    private readonly endMessage: string,
  ) {}

  /** The current reason, for an operator; undefined if there is no incident. */
  get why(): string | undefined {
    return this.reason;
  }

  /** Starts the incident, or confirms that it continues. @param details for the log */
  report(why: string, details: object = {}): void {
    if (this.reason === undefined) logger.warn({ ...details, reason: why }, this.startMessage);
    this.reason = why;
    this.reportedMs = performance.now();
  }

  resolve(details: object = {}): void {
    if (this.reason === undefined) return;
    this.reason = undefined;
    logger.info(details, this.endMessage);
  }

  /** Ends the incident if it was last confirmed at least a second ago. */
  reportGone(details: object = {}): void {
    if (performance.now() - this.reportedMs >= MAX_GAP_MS) this.resolve(details);
  }
}
