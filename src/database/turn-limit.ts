import { setImmediate as turn } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import { unavailable } from '../errors/errors.js';
import type { Dialect } from './dialects/dialect.js';

/** After a piece that held the event loop for longer, new connections come first. */
const LONG_MS = 2;
/** Node accepts one connection a turn: with one long piece in each, those who come would wait for as many pieces as there are before them. */
const TURNS_FOR_OTHERS = 8;

/** Who asks for a piece of work, if it is a client that may go away. */
export interface Asking {
  isGone(): boolean;
}

/** Semaphore for work that holds the event loop: each piece begins in a turn of its own. */
export class TurnLimit {
  private readonly limit: LimitFunction;
  private turns = 1;

  /**
   * @param most pieces under way at once; with 1, work that never waits has the whole turn to itself
   * @param dialect of the database that they read, where its calls may block: then one is read and printed in a turn
   */
  constructor(most: number, { pagesInATurn }: Pick<Dialect, 'pagesInATurn'> = { pagesInATurn: Infinity }) {
    this.limit = pLimit(Math.min(most, pagesInATurn));
  }

  /** @throws what `work` throws; ApiError 503 where the caller has gone before it began */
  run<Result>(work: () => Promise<Result>, caller?: Asking): Promise<Result> {
    return this.limit(async () => {
      // Those of several that began together stay together.
      for (let { turns } = this; turns > 0; turns--) await turn();
      // Who asks and goes away again and again would make others wait for what nobody sees.
      if (caller?.isGone()) throw unavailable();
      const beganMs = performance.now();
      try {
        return await work();
      } finally {
        this.turns = performance.now() - beganMs > LONG_MS ? TURNS_FOR_OTHERS : 1;
      }
    });
  }
}
