import type { Asset } from '../../database/entities/asset.entity.js';
import { unavailable } from '../../errors/errors.js';
import type { Queued } from './fair-queue.js';
import type { Operation } from './operation.js';
import type { Timing } from './timing.js';

/** An operation that waits for its answer: settled once, by the ledger or by its own deadline. */
export class PendingOperation implements Queued {
  readonly answer: Promise<Asset>;
  private settle!: { resolve: (asset: Asset) => void; reject: (reason: unknown) => void };
  private readonly callOffDeadline: () => void;
  private settledAlready = false;
  /** The instant it was given by a batch whose COMMIT got no answer: a row that has it shows that the batch was kept after all. */
  attemptedUs: number | undefined;
  /** The bytes that are read and written for it; of a change they are known when its asset was read. */
  cost: number | undefined;

  constructor(
    readonly operation: Operation,
    deadlineMs: number,
    timing: Timing,
  ) {
    this.cost = operation.creates ? operation.bytes : undefined;
    this.answer = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    this.callOffDeadline = timing.after(deadlineMs, () => this.reject(unavailable()));
  }

  get party(): string {
    return this.operation.author.account;
  }

  get held(): number {
    return this.operation.bytes;
  }

  /** True once an answer was given; what is settled while it waits in the queue is never begun. */
  get settled(): boolean {
    return this.settledAlready;
  }

  resolve(asset: Asset): void {
    this.finish();
    this.settle.resolve(asset);
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
