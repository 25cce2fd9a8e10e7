import type { Timing } from '../clock/wall-clock.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import { unavailable } from '../../platform/errors/errors.js';
import type { Queued } from './fair-queue.js';
import type { Operation } from './operation.js';

/** Backoff while another transaction has locked its assets: mostly another process, for the duration of a batch. */
const FIRST_BACKOFF_MS = 2;
const MAX_BACKOFF_MS = 250;

/** An attempt whose COMMIT got no answer. */
interface Attempt {
  /** The instants of the changed assets, by id. */
  instants: ReadonlyMap<string, number>;
  answer: Asset[];
}

/** An operation that waits for its answer: settled once, by the ledger or by its deadline. */
export class PendingOperation implements Queued {
  readonly answer: Promise<Asset[]>;
  private settle!: { resolve: (assets: Asset[]) => void; reject: (reason: unknown) => void };
  private readonly cancelDeadline: () => void;
  private isSettled = false;
  /** When it arrived, on the clock of `timing`. */
  readonly beganMs: number;
  /** Its rows at its last decision, in the order of its ids. */
  found: readonly (Asset | undefined)[] = [];
  /** An earlier attempt whose COMMIT got no answer. One row with its instant proves that it was committed. */
  attempt: Attempt | undefined;
  /** Ids of its assets that were free when another transaction had locked the rest. */
  wasFree: ReadonlySet<string> = new Set();
  /** When it may be tried again, on the clock of `timing`. */
  retryAtMs = 0;
  private backoffMs = FIRST_BACKOFF_MS;
  /** Bytes to read and write. For a change unknown until its asset is read, unless the operation states `readBytes`. */
  cost: number | undefined;

  constructor(
    readonly operation: Operation,
    private readonly deadlineMs: number,
    private readonly timing: Timing,
  ) {
    const { creates, bytes, readBytes } = operation;
    this.cost = creates ? bytes : readBytes && bytes + 2 * readBytes;
    this.beganMs = timing.nowMs();
    this.answer = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    this.cancelDeadline = timing.after(deadlineMs, () => this.reject(unavailable('deadline')));
  }

  get account(): string {
    return this.operation.author.account;
  }

  get changes(): number {
    return this.operation.ids.length;
  }

  get bytes(): number {
    return this.operation.bytes;
  }

  /** Whether it was answered. If its deadline answers it while it is queued, no batch runs it. */
  get settled(): boolean {
    return this.isSettled;
  }

  get isBackingOff(): boolean {
    return this.retryAtMs > 0 && this.retryAtMs > this.timing.nowMs();
  }

  /** Backs off, twice as long each time, because another transaction has locked some of its assets. */
  backOff(lockedElsewhere: ReadonlySet<string>): void {
    this.wasFree = new Set(this.operation.ids.filter((id) => !lockedElsewhere.has(id)));
    // Jitter, to get out of step with the batches of another process.
    this.retryAtMs = this.timing.nowMs() + ((1 + this.timing.random()) / 2) * this.backoffMs;
    this.backoffMs = Math.min(2 * this.backoffMs, MAX_BACKOFF_MS);
  }

  /** Waits for `work` until the operation's deadline. @throws ApiError 503 after it */
  beforeDeadline<T>(work: Promise<T>): Promise<T> {
    const leftMs = this.beganMs + this.deadlineMs - this.timing.nowMs();
    return new Promise((resolve, reject) => {
      const cancel = this.timing.after(Math.max(0, leftMs), () => reject(unavailable('deadline')));
      void work.then(resolve, reject).finally(cancel);
    });
  }

  resolve(assets: Asset[]): void {
    this.finish();
    this.settle.resolve(assets);
  }

  reject(reason: unknown): void {
    this.finish();
    this.settle.reject(reason);
  }

  private finish(): void {
    this.isSettled = true;
    this.cancelDeadline();
  }
}
