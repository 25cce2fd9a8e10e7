import pLimit, { type LimitFunction } from 'p-limit';
import { unavailable } from '../errors/errors.js';

/** The client that asked for a piece of work. It may disconnect before the work begins. */
export interface Requester {
  isGone(): boolean;
}

/** Bounds how many pieces of one kind of work run at once. The others wait in the order of their arrival. */
export class Semaphore {
  private readonly limit: LimitFunction;

  /** @param max pieces of work that run at once */
  constructor(max: number) {
    this.limit = pLimit(max);
  }

  /** Pieces of work that wait for their turn. */
  get waiting(): number {
    return this.limit.pendingCount;
  }

  /**
   * Runs `work` once fewer than `max` others run.
   * @throws what `work` throws; ApiError 503 if the requester disconnected before the work began
   */
  run<Result>(work: () => Promise<Result> | Result, requester?: Requester): Promise<Result> {
    return this.limit(() => {
      if (requester?.isGone()) throw unavailable('client_gone');
      return work();
    });
  }
}
