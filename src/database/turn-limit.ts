import pLimit, { type LimitFunction } from 'p-limit';
import { unavailable } from '../errors/errors.js';
import type { Dialect } from './dialects/dialect.js';
import { ownTurn } from './own-turn.js';

/** Who asks for a piece of work, if it is a client that may go away. */
export interface Asking {
  isGone(): boolean;
}

/** Semaphore for work that holds the event loop: each begins in a turn of its own. */
export class TurnLimit {
  private readonly limit: LimitFunction;

  /**
   * @param most under way at once
   * @param dialect of the database that they read, where its calls may block: then one is read and printed after the other
   */
  constructor(most: number, { pagesInATurn }: Pick<Dialect, 'pagesInATurn'> = { pagesInATurn: Infinity }) {
    this.limit = pLimit(Math.min(most, pagesInATurn));
  }

  /** @throws what `work` throws; ApiError 503 where the caller has gone before it began */
  run<Result>(work: () => Promise<Result>, caller?: Asking): Promise<Result> {
    return this.limit(async () => {
      await ownTurn();
      // Who asks and goes away again and again would make others wait for what nobody sees.
      if (caller?.isGone()) throw unavailable();
      return work();
    });
  }
}
