import type { FairQueue, Verdict } from './fair-queue.js';
import type { PendingOperation } from './pending-operation.js';

/** How many changes one batch has, and how many bytes it reads and writes. */
export interface BatchLimits {
  batchCount: number;
  batchBytes: number;
}

/** Whether it is of several assets that are too many for a batch with others, or too large. */
export function isLarge({ changes, cost = 0 }: PendingOperation, { batchCount, batchBytes }: BatchLimits): boolean {
  return changes > 1 && (changes > batchCount || cost > batchBytes);
}

/** What goes into one batch. It may be asked again while there is room: for what has come since. */
export class BatchChoice {
  private readonly claimed = new Set<string>();
  private count = 0;
  private bytes = 0;

  /** @param mayBegin whether what is larger than a batch may be taken now */
  constructor(
    private readonly queue: FairQueue<PendingOperation>,
    private readonly limits: BatchLimits,
    private readonly mayBegin: (large: PendingOperation) => boolean,
  ) {}

  /** The next operations that fit, at most one per asset and receipt: a second one waits, so that it sees the result of the first. */
  next(): PendingOperation[] {
    return this.queue.draw((pending, cost) => this.judge(pending, cost)).filter((pending) => !pending.settled);
  }

  private judge(pending: PendingOperation, cost: number): Verdict {
    if (pending.settled) return 'take';
    const { batchCount, batchBytes } = this.limits;
    // Its assets are not claimed: others may change them meanwhile.
    if (isLarge(pending, this.limits) && !this.mayBegin(pending)) return 'leave';
    const { changes } = pending;
    const fits = this.count === 0 || (this.count + changes <= batchCount && this.bytes + cost <= batchBytes);
    if (!fits) return 'end';
    const { ids, receipt } = pending.operation;
    const claims = [...ids, ...(receipt === undefined ? [] : [receipt.id])];
    const isSecond = claims.some((claim) => this.claimed.has(claim));
    for (const claim of claims) this.claimed.add(claim);
    if (isSecond) return 'leave';
    this.count += changes;
    this.bytes += cost;
    return 'take';
  }
}
