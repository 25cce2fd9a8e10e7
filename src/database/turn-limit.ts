import { setImmediate as turn } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';

/** After a piece that held the event loop for longer, new connections come first. */
const LONG_MS = 2;
/** Node accepts one connection a turn: with one long piece in each, those who come would wait for as many pieces as there are before them. */
const TURNS_FOR_OTHERS = 8;

/** Semaphore for work that holds the event loop: each piece begins in a turn of its own. */
export class TurnLimit {
  private readonly limit: LimitFunction;
  private turns = 1;

  /** @param most pieces under way at once; with 1, work that never waits has the whole turn to itself */
  constructor(most: number) {
    this.limit = pLimit(most);
  }

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.limit(async () => {
      for (let i = 0; i < this.turns; i++) await turn();
      const beganMs = performance.now();
      try {
        return await work();
      } finally {
        this.turns = performance.now() - beganMs > LONG_MS ? TURNS_FOR_OTHERS : 1;
      }
    });
  }
}
