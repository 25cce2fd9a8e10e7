import { TIME_BUDGETS_MS } from '../../platform/config/time-budgets.js';
import type { Timing } from '../clock/wall-clock.js';
import type { FairQueue, Verdict } from './fair-queue.js';
import type { PendingOperation } from './pending-operation.js';

/*
 * Scheduling of the lane: selects the waiting operations of the next batch, delays operations larger than a batch, and runs tasks between
 * batches.
 */

/** The lane counts as quiet after this time without a small operation: a client that sends changes one by one sends the next sooner. */
const QUIET_MS = 100;

/** Maximum number of changes of a batch, and of bytes that it reads and writes. */
export interface BatchLimits {
  batchCount: number;
  batchBytes: number;
}

/** Whether an operation changes several assets and exceeds a batch. */
export function isLarge({ changes, cost = 0 }: PendingOperation, { batchCount, batchBytes }: BatchLimits): boolean {
  return changes > 1 && (changes > batchCount || cost > batchBytes);
}

/**
 * Delays large operations, each of which occupies the lane for as long as many batches, until the lane is quiet or they have waited long
 * enough (decision 51).
 */
export class LargeOperationDelay {
  private busyMs = -Infinity;
  private wakeUp = (): void => undefined;

  constructor(private readonly timing: Pick<Timing, 'nowMs' | 'after'>) {}

  /** Called when a small operation arrives, and when a batch with one ends. */
  noteSmallOperation(): void {
    this.busyMs = this.timing.nowMs();
  }

  /** Whether a large operation may begin. */
  isOver({ beganMs }: Pick<PendingOperation, 'beganMs'>): boolean {
    const nowMs = this.timing.nowMs();
    return nowMs >= this.quietMs || nowMs >= beganMs + TIME_BUDGETS_MS.groupYields;
  }

  /** When the lane will be quiet if nothing arrives; milliseconds on the clock of `timing`. */
  get quietMs(): number {
    return this.busyMs + QUIET_MS;
  }

  /** Resolves at a time on the clock of `timing`, in milliseconds, or on `wake`. */
  async waitUntil(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.timing.after(Math.max(1, ms - this.timing.nowMs()), resolve);
      this.wakeUp = () => {
        cancel();
        resolve();
      };
    });
    this.wakeUp = (): void => undefined;
  }

  /** Ends `waitUntil`. */
  wake(): void {
    this.wakeUp();
  }
}

/** Selects the operations of one batch. `next` may be called again for operations that have arrived since. */
export class BatchSelection {
  private readonly claimed = new Set<string>();
  /** Assets and receipts of operations that back off: later operations on them must wait, to keep the order. */
  private readonly blocked = new Set<string>();
  private count = 0;
  private bytes = 0;
  /** When the first of the operations not selected may be tried again, in milliseconds; Infinity if there are none. */
  retryAtMs = Infinity;

  constructor(
    private readonly queue: FairQueue<PendingOperation>,
    private readonly limits: BatchLimits,
    private readonly largeOperationDelay: LargeOperationDelay,
  ) {
    // The previous batch has been charged.
    queue.forgetIdleAccounts();
  }

  /** The next operations that fit, at most one per asset and receipt, so that the second one sees the result of the first. */
  next(): PendingOperation[] {
    return this.queue.draw((pending, cost) => this.judge(pending, cost)).filter((pending) => !pending.settled);
  }

  private judge(pending: PendingOperation, cost: number): Verdict {
    if (pending.settled) return 'take';
    const { batchCount, batchBytes } = this.limits;
    if (this.isBlocked(pending)) return 'backOff';
    // It claims no assets yet: others may change them meanwhile.
    if (isLarge(pending, this.limits) && !this.largeOperationDelay.isOver(pending)) {
      this.retryAtMs = Math.min(this.retryAtMs, this.largeOperationDelay.quietMs);
      return 'skip';
    }
    const { changes } = pending;
    const fits = this.count === 0 || (this.count + changes <= batchCount && this.bytes + cost <= batchBytes);
    if (!fits) return 'stop';
    const claims = claimsOf(pending);
    const isSecond = claims.some((claim) => this.claimed.has(claim));
    for (const claim of claims) this.claimed.add(claim);
    if (isSecond) return 'skip';
    this.count += changes;
    this.bytes += cost;
    return 'take';
  }

  /** Whether an operation backs off or must follow one that does. A large one does not block its other assets. */
  private isBlocked(pending: PendingOperation): boolean {
    const { isBackingOff } = pending;
    if (isBackingOff) this.retryAtMs = Math.min(this.retryAtMs, pending.retryAtMs);
    const claims = isBackingOff || this.blocked.size > 0 ? claimsOf(pending) : [];
    if (!isBackingOff && !claims.some((claim) => this.blocked.has(claim))) return false;
    if (!isLarge(pending, this.limits)) for (const claim of claims) this.blocked.add(claim);
    return true;
  }
}

/** Assets and receipt that an operation must not share with another one of its batch. */
function claimsOf({ operation: { ids, receipt } }: PendingOperation): string[] {
  return [...ids, ...(receipt === undefined ? [] : [receipt.id])];
}

type Work = () => Promise<void>;

interface Task {
  work: Work;
  /** The operation that it runs; it may back off. */
  pending: PendingOperation | undefined;
}

/** Tasks to run between two batches, first come, first served. The others overtake those that back off. */
export class LaneTasks {
  private readonly waiting: Task[] = [];

  get count(): number {
    return this.waiting.length;
  }

  add(work: Work, pending?: PendingOperation): void {
    this.waiting.push({ work, pending });
  }

  /** When a task that backs off may run, in milliseconds; Infinity if no task does. */
  get retryAtMs(): number {
    return Math.min(...this.waiting.map(({ pending }) => pending?.retryAtMs ?? Infinity));
  }

  /** Removes and returns the next task that may run. */
  next(): Work | undefined {
    const index = this.waiting.findIndex(
      ({ pending }) => pending === undefined || pending.settled || !pending.isBackingOff,
    );
    return index < 0 ? undefined : this.waiting.splice(index, 1)[0]?.work;
  }
}
