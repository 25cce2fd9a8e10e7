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
  /** The instant that an earlier attempt gave it, whose COMMIT got no answer. A row with that instant shows that it was kept after all. */
  attemptedUs: number | undefined;
  /** How many bytes are read and written for it; for a change, known once its asset was read. */
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

  /** Whether it was answered. One that is answered while it waits in the queue, by its deadline, is never begun. */
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
