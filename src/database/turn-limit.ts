import { setImmediate as turn } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';

/** Semaphore for work that holds the event loop: each piece begins in a turn of its own. */
export class TurnLimit {
  private readonly limit: LimitFunction;

  /** @param most pieces under way at once; with 1, work that never waits has the whole turn to itself */
  constructor(most: number) {
    this.limit = pLimit(most);
  }

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.limit(async () => {
      await turn();
      return work();
    });
  }
}
