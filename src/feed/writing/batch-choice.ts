import type { FairQueue, Verdict } from './fair-queue.js';
import type { PendingOperation } from './pending-operation.js';

/** How many operations one batch has, and how many bytes it reads and writes. */
export interface BatchLimits {
  batchCount: number;
  batchBytes: number;
}

/** What goes into one batch. It may be asked again while there is room: for what has come since. */
export class BatchChoice {
  private readonly claimed = new Set<string>();
  private count = 0;
  private bytes = 0;

  constructor(
    private readonly queue: FairQueue<PendingOperation>,
    private readonly limits: BatchLimits,
  ) {}

  /** The next operations that fit, at most one per asset and receipt: a second one waits, so that it sees the result of the first. */
  next(): PendingOperation[] {
    return this.queue.draw((pending, cost) => this.judge(pending, cost)).filter((pending) => !pending.settled);
  }

  private judge(pending: PendingOperation, cost: number): Verdict {
    if (pending.settled) return 'take';
    const { batchCount, batchBytes } = this.limits;
    const fits = this.count === 0 || (this.count < batchCount && this.bytes + cost <= batchBytes);
    if (!fits) return 'end';
    const { id, receipt } = pending.operation;
    const claims = [id, ...(receipt === undefined ? [] : [receipt.id])];
    const isSecond = claims.some((claim) => this.claimed.has(claim));
    for (const claim of claims) this.claimed.add(claim);
    if (isSecond) return 'leave';
    this.count++;
    this.bytes += cost;
    return 'take';
  }
}
