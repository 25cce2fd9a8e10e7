import pLimit, { type LimitFunction } from 'p-limit';
import { unavailable } from '../errors/errors.js';

/** The client that requested a task. It may disconnect before the task begins. */
export interface Requester {
  isGone(): boolean;
}

/** Limits how many tasks of one kind run at once. The others wait in the order of their arrival. */
export class Semaphore {
  private readonly limit: LimitFunction;

  /** @param max tasks that run at once */
  constructor(max: number) {
    this.limit = pLimit(max);
  }

  /** Number of queued tasks. */
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
