import type { Asset } from '../database/entities/asset.entity.js';
import { unavailable } from '../errors/errors.js';
import type { Operation } from './operation.js';

/** An operation that waits for its answer: settled once, by the ledger or by its own deadline. */
export class PendingOperation {
  readonly answer: Promise<Asset>;
  private settle!: { resolve: (asset: Asset) => void; reject: (reason: unknown) => void };
  private readonly deadline: NodeJS.Timeout;
  private settledAlready = false;

  constructor(
    readonly operation: Operation,
    deadlineMs: number,
  ) {
    this.answer = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    this.deadline = setTimeout(() => this.reject(unavailable()), deadlineMs);
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
    clearTimeout(this.deadline);
  }
}
