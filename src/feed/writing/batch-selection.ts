import { TIME_BUDGETS_MS } from '../../platform/config/time-budgets.js';
import type { Timing } from '../clock/wall-clock.js';
import type { FairQueue, Verdict } from './fair-queue.js';
import type { PendingOperation } from './pending-operation.js';

/*
 * What the lane does next: which of the operations that wait go into a batch, how long those that are larger than one let others go first,
 * and which task comes between two batches.
 */

/** A large operation begins after so long without another request, in milliseconds: who sends one change after the other is back sooner. */
const QUIET_MS = 100;

/** How many changes one batch has, and how many bytes it reads and writes. */
export interface BatchLimits {
  batchCount: number;
  batchBytes: number;
}

/** Whether it is of several assets that are too many for a batch with others, or too large. */
export function isLarge({ changes, cost = 0 }: PendingOperation, { batchCount, batchBytes }: BatchLimits): boolean {
  return changes > 1 && (changes > batchCount || cost > batchBytes);
}

/**
 * What takes the lane for as long as many batches lets others go first: else each of their changes would wait for one of these. So it
 * begins where the lane is quiet, or when it has waited long enough (decision 51).
 */
export class LargeOperationDelay {
  private busyMs = -Infinity;
  private wakeUp = (): void => undefined;

  constructor(private readonly timing: Pick<Timing, 'nowMs' | 'after'>) {}

  /** Told when a change comes that is not large, and when a batch with one is over. */
  noteOthers(): void {
    this.busyMs = this.timing.nowMs();
  }

  /** Whether a large operation has waited enough. */
  isOver({ beganMs }: Pick<PendingOperation, 'beganMs'>): boolean {
    const nowMs = this.timing.nowMs();
    return nowMs >= this.quietMs || nowMs >= beganMs + TIME_BUDGETS_MS.groupGivesWay;
  }

  /** When the lane will have been quiet for long enough, if nothing comes; milliseconds on the clock of `timing`. */
  get quietMs(): number {
    return this.busyMs + QUIET_MS;
  }

  /** Resolves at a time on the clock of `timing`, in milliseconds, or when `wake` is called. */
  async waitUntil(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const callOff = this.timing.after(Math.max(1, ms - this.timing.nowMs()), resolve);
      this.wakeUp = () => {
        callOff();
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

/** What goes into one batch. It may be asked again while there is room: for what has come since. */
export class BatchSelection {
  private readonly claimed = new Set<string>();
  /** What is wanted by those that rest because another transaction holds their assets. */
  private readonly wanted = new Set<string>();
  private count = 0;
  private bytes = 0;
  /** When one that was left may be asked for again, in milliseconds; Infinity where there is none. */
  againMs = Infinity;

  constructor(
    private readonly queue: FairQueue<PendingOperation>,
    private readonly limits: BatchLimits,
    private readonly largeOperationDelay: LargeOperationDelay,
  ) {
    // The batch before has been charged.
    queue.forgetPaid();
  }

  /** The next operations that fit, at most one per asset and receipt: a second one waits, so that it sees the result of the first. */
  next(): PendingOperation[] {
    return this.queue.draw((pending, cost) => this.judge(pending, cost)).filter((pending) => !pending.settled);
  }

  private judge(pending: PendingOperation, cost: number): Verdict {
    if (pending.settled) return 'take';
    const { batchCount, batchBytes } = this.limits;
    if (this.isLockTimeout(pending)) return 'rest';
    // Its assets are not claimed: others may change them meanwhile.
    if (isLarge(pending, this.limits) && !this.largeOperationDelay.isOver(pending)) {
      this.againMs = Math.min(this.againMs, this.largeOperationDelay.quietMs);
      return 'leave';
    }
    const { changes } = pending;
    const fits = this.count === 0 || (this.count + changes <= batchCount && this.bytes + cost <= batchBytes);
    if (!fits) return 'end';
    const claims = claimsOf(pending);
    const isSecond = claims.some((claim) => this.claimed.has(claim));
    for (const claim of claims) this.claimed.add(claim);
    if (isSecond) return 'leave';
    this.count += changes;
    this.bytes += cost;
    return 'take';
  }

  /** An operation that wants what one that rests wants comes after it. Where that is large, its other assets may be changed meanwhile. */
  private isLockTimeout(pending: PendingOperation): boolean {
    const { rests } = pending;
    if (rests) this.againMs = Math.min(this.againMs, pending.dueMs);
    const claims = rests || this.wanted.size > 0 ? claimsOf(pending) : [];
    if (!rests && !claims.some((claim) => this.wanted.has(claim))) return false;
    if (!isLarge(pending, this.limits)) for (const claim of claims) this.wanted.add(claim);
    return true;
  }
}

/** What no two operations of a batch may have in common. */
function claimsOf({ operation: { ids, receipt } }: PendingOperation): string[] {
  return [...ids, ...(receipt === undefined ? [] : [receipt.id])];
}

type Work = () => Promise<void>;

interface Task {
  work: Work;
  /** Whose asset it wants. */
  pending: PendingOperation | undefined;
}

/** What is done between two batches, in the order of coming. One that rests lets the others go first. */
export class LaneTasks {
  private readonly waiting: Task[] = [];

  get count(): number {
    return this.waiting.length;
  }

  add(work: Work, pending?: PendingOperation): void {
    this.waiting.push({ work, pending });
  }

  /** When one that rests may be done, in milliseconds; Infinity where there is none. */
  get againMs(): number {
    return Math.min(...this.waiting.map(({ pending }) => pending?.dueMs ?? Infinity));
  }

  /** Takes the next one out. */
  next(): Work | undefined {
    const place = this.waiting.findIndex(({ pending }) => pending === undefined || pending.settled || !pending.rests);
    return place < 0 ? undefined : this.waiting.splice(place, 1)[0]?.work;
  }
}
