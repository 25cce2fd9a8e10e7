import type { Timing } from '../clock/wall-clock.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import { unavailable } from '../../platform/errors/errors.js';
import type { Queued } from './fair-queue.js';
import type { Operation } from './operation.js';

/** How long it rests where another transaction holds its assets: mostly another process, for the time of a batch. */
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 250;

/** What an operation had made of its assets when its COMMIT got no answer. */
interface Attempt {
  /** The instants of those that it changed, by their ids. */
  instants: ReadonlyMap<string, number>;
  answer: Asset[];
}

/** An operation that waits for its answer: settled once, by the ledger or by its own deadline. */
export class PendingOperation implements Queued {
  readonly answer: Promise<Asset[]>;
  private settle!: { resolve: (assets: Asset[]) => void; reject: (reason: unknown) => void };
  private readonly callOffDeadline: () => void;
  private settledAlready = false;
  /** When it came here, on the clock of `timing`. */
  readonly beganMs: number;
  /** Its rows as they were when it was decided on last, in the order of its ids. */
  found: readonly (Asset | undefined)[] = [];
  /** An earlier one, whose COMMIT got no answer. One row with its instant shows that all of it was kept. */
  attempt: Attempt | undefined;
  /** The ids of those of its assets that were free when another transaction held the rest. */
  wasFree: ReadonlySet<string> = new Set();
  /** When it may be tried again, on the clock of `timing`. */
  dueMs = 0;
  private pauseMs = FIRST_PAUSE_MS;
  /** How many bytes are read and written for it; for a change, known once its asset was read, unless it says so before. */
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
    this.callOffDeadline = timing.after(deadlineMs, () => this.reject(unavailable('deadline')));
  }

  get party(): string {
    return this.operation.author.account;
  }

  get changes(): number {
    return this.operation.ids.length;
  }

  get held(): number {
    return this.operation.bytes;
  }

  /** Whether it was answered. One that is answered while it waits in the queue, by its deadline, is never begun. */
  get settled(): boolean {
    return this.settledAlready;
  }

  /** Whether another transaction has held its assets, so that it rests for a while. */
  get rests(): boolean {
    return this.dueMs > 0 && this.dueMs > this.timing.nowMs();
  }

  /** Another transaction holds some of its assets: it rests, for longer each time. */
  holdUp(held: ReadonlySet<string>): void {
    this.wasFree = new Set(this.operation.ids.filter((id) => !held.has(id)));
    // Not in step with the batches of another process.
    this.dueMs = this.timing.nowMs() + ((1 + this.timing.random()) / 2) * this.pauseMs;
    this.pauseMs = Math.min(2 * this.pauseMs, LONGEST_PAUSE_MS);
  }

  /** @returns `work`, which is waited for until the operation's deadline @throws ApiError 503 after it */
  beforeDeadline<T>(work: Promise<T>): Promise<T> {
    const leftMs = this.beganMs + this.deadlineMs - this.timing.nowMs();
    return new Promise((resolve, reject) => {
      const callOff = this.timing.after(Math.max(0, leftMs), () => reject(unavailable('deadline')));
      void work.then(resolve, reject).finally(callOff);
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
    this.settledAlready = true;
    this.callOffDeadline();
  }
}
