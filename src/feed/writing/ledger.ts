import { TIME_BUDGETS_MS } from '../../platform/config/time-budgets.js';
import type { Asset } from '../../database/entities/asset.entity.js';
import type { Session } from '../../database/connections/session.js';
import type { ApiError } from '../../platform/errors/api-error.js';
import { clockInDoubt, unavailable } from '../../platform/errors/errors.js';
import { type BatchContext, runBatch } from './batch.js';
import { BatchSelection, type BatchLimits, LargeOperationDelay, isLarge, LaneTasks } from './batch-selection.js';
import { PendingOperation } from './pending-operation.js';
import { FairQueue } from './fair-queue.js';
import { AssetLockedError, storeTransferCode, type NewTransferCode } from './store-transfer-code.js';
import {
  DatabaseAwayError,
  refusalFor,
  type LedgerTransaction,
  OutcomeUnknownError,
  RetryableError,
} from './ledger-store.js';
import type { Operation } from './operation.js';

/** Limits of the lane. Admission control limits the waiting operations. Tests set smaller ones. */
export interface LaneLimits extends BatchLimits {
  /** How long a request waits for its answer, including earlier waits. */
  deadlineMs: number;
}

export const LANE_LIMITS: LaneLimits = {
  batchCount: 64,
  batchBytes: 2 * 1024 * 1024,
  deadlineMs: TIME_BUDGETS_MS.answer,
};

const MAX_ATTEMPTS = 5;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 200;
/** Estimated changes per batch of an account whose costs are not known yet. */
const INITIAL_CHANGES_PER_BATCH = 4;

/**
 * The only writer of assets. It has one lane: one batch at a time, one transaction per batch. A request that arrives during a batch joins the
 * next one. An idle lane starts at once. Why no change is ever missed: docs/architecture.md.
 */
export class Ledger {
  private readonly queue: FairQueue<PendingOperation>;
  private running: Promise<void> | undefined;
  private readonly tasks = new LaneTasks();
  private readonly largeOperationDelay: LargeOperationDelay;

  constructor(
    private readonly context: BatchContext,
    private readonly limits: LaneLimits = LANE_LIMITS,
  ) {
    this.queue = new FairQueue(limits.batchBytes / INITIAL_CHANGES_PER_BATCH);
    this.largeOperationDelay = new LargeOperationDelay(context.timing);
  }

  /**
   * Runs `operation`.
   * @returns its assets as committed, in its order
   * @throws ApiError the operation's refusal; 503 if the database is away or the deadline passes (the change may then be committed or not)
   */
  submit(operation: Operation): Promise<Asset[]> {
    const refusal = this.refusalOf(operation);
    if (refusal !== undefined) return Promise.reject(refusal);
    const pending = this.pendingFor(operation);
    this.queue.add(pending);
    if (!isLarge(pending, this.limits)) this.largeOperationDelay.noteSmallOperation();
    this.largeOperationDelay.wake();
    operation.waiter?.whenGone(() => this.drop(pending));
    this.running ??= this.run();
    return this.whenDurable(pending);
  }

  /**
   * Stores a transfer code and replaces an earlier one, in a separate transaction between two batches. The feed does not show it, so it takes
   * no instant.
   * @param operation decides whether it is permitted, and changes nothing itself
   * @throws ApiError as `submit`
   */
  storeTransferCode(operation: Operation, code: NewTransferCode): Promise<Asset[]> {
    const refusal = this.refusalOf(operation);
    if (refusal !== undefined) return Promise.reject(refusal);
    const pending = this.pendingFor(operation);
    this.tasks.add(() => this.storeCode(pending, code), pending);
    this.largeOperationDelay.wake();
    this.running ??= this.run();
    return pending.answer;
  }

  private async storeCode(pending: PendingOperation, code: NewTransferCode): Promise<void> {
    for (let attempt = 1; !pending.settled; attempt++) {
      const work = (transaction: LedgerTransaction): Promise<Asset[]> =>
        storeTransferCode(pending, code, transaction, this.context, attempt === 1);
      try {
        if (pending.operation.waiter?.isGone()) throw unavailable('client_gone');
        pending.resolve(await this.inTransaction(work));
      } catch (error) {
        if (error instanceof AssetLockedError) return this.tasks.add(() => this.storeCode(pending, code), pending);
        if (error instanceof RetryableError && attempt < MAX_ATTEMPTS) await this.pause(attempt);
        else pending.reject(refusalFor(error));
      }
    }
  }

  /** Returns the error with which any operation of this client would be refused now. */
  refusalOf(operation: Operation): ApiError | undefined {
    if (!this.context.clock.mayWrite()) return clockInDoubt();
    // Fail at once instead of waiting behind a batch that will fail, too.
    if (this.context.store.isAway) return unavailable('database_away');
    if (operation.waiter?.isGone()) return unavailable('client_gone');
    return this.timeLeftMs(operation) <= 0 ? unavailable('deadline') : undefined;
  }

  private pendingFor(operation: Operation): PendingOperation {
    return new PendingOperation(operation, this.timeLeftMs(operation), this.context.timing);
  }

  private timeLeftMs({ waitedMs = 0 }: Operation): number {
    return this.limits.deadlineMs - waitedMs;
  }

  /** Waits at the read barrier: an operation without a change has no commit, and may answer what another process has just written. */
  private async whenDurable(pending: PendingOperation): Promise<Asset[]> {
    const assets = await pending.answer;
    await pending.beforeDeadline(this.context.clock.untilDurable(assets));
    return assets;
  }

  /** Drops an operation whose client has gone, unless it is already in a batch. */
  private drop(pending: PendingOperation): void {
    if (this.queue.remove(pending)) pending.reject(unavailable('client_gone'));
  }

  /**
   * Stores the day on which a key was last used, between two batches.
   * @param day local, `2017-08-16`
   * @throws RetryableError, DatabaseAwayError or the driver's error
   */
  async markKeyUsed(id: string, day: string): Promise<void> {
    await this.runTask((transaction) => transaction.markKeyUsed(id, day));
  }

  /** Stores that the registry is at work, for the clock comparison at the next start. @throws as `markKeyUsed` */
  async noteTime(): Promise<void> {
    await this.runTask((transaction) => transaction.noteTime(this.context.clock.timeUs()));
  }

  /**
   * Runs another room's statements in a separate transaction between two batches.
   * @throws RetryableError, DatabaseAwayError, OutcomeUnknownError or the driver's error
   */
  runBetweenBatches<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.runTask((transaction) => transaction.run(work));
  }

  private runTask<T>(work: (transaction: LedgerTransaction) => Promise<T>): Promise<T> {
    if (!this.context.clock.mayWrite()) return Promise.reject(clockInDoubt());
    return new Promise((resolve, reject) => {
      this.tasks.add(() => this.inTransaction(work).then(resolve, reject));
      this.largeOperationDelay.wake();
      this.running ??= this.run();
    });
  }

  private async inTransaction<T>(work: (transaction: LedgerTransaction) => Promise<T>): Promise<T> {
    const transaction = await this.context.store.begin();
    try {
      const result = await work(transaction);
      await transaction.commit();
      return result;
    } catch (error) {
      await transaction.rollback();
      if (error instanceof OutcomeUnknownError) this.context.observer?.outcomeUnknown();
      throw error;
    }
  }

  /** The operations that wait for a batch. */
  get waiting(): { changes: number; bytes: number } {
    return { changes: this.queue.count, bytes: this.queue.bytes };
  }

  /** Resolves once all submitted operations are answered. */
  async idle(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  private async run(): Promise<void> {
    while (this.queue.count + this.tasks.count > 0) {
      // Requests that arrived together share a batch.
      await this.context.timing.immediate();
      const selection = new BatchSelection(this.queue, this.limits, this.largeOperationDelay);
      const batch = selection.next();
      if (batch.length > 0) await this.process(batch, selection);
      if (batch.some((pending) => !isLarge(pending, this.limits))) this.largeOperationDelay.noteSmallOperation();
      const task = this.tasks.next();
      if (task !== undefined) await task();
      // The rest are large, or back off.
      else if (batch.length === 0 && this.queue.count + this.tasks.count > 0)
        await this.largeOperationDelay.waitUntil(Math.min(this.tasks.retryAtMs, selection.retryAtMs));
    }
    this.running = undefined;
  }

  /** @param selection if given, operations that arrive while the batch waits for the clock may join it */
  private async process(batch: PendingOperation[], selection?: BatchSelection): Promise<void> {
    try {
      await this.runWithRetries(batch, selection);
    } catch (error) {
      const left = batch.filter((pending) => !pending.settled);
      const away = error instanceof DatabaseAwayError || error instanceof RetryableError;
      // Run each operation alone, so that a defective one fails alone.
      if (!away && batch.length > 1) for (const pending of left) await this.process([pending]);
      else for (const pending of left) pending.reject(refusalFor(error));
    }
  }

  private async runWithRetries(batch: PendingOperation[], selection?: BatchSelection): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const left = batch.filter((pending) => !pending.settled);
      if (left.length === 0) return;
      // The database refused the previous batch, so this one would fail, too.
      if (this.context.store.isAway) throw new DatabaseAwayError('The database refuses writes');
      const begun = [...left];
      const gather = (): PendingOperation[] => {
        const joining = selection?.next() ?? [];
        batch.push(...joining);
        begun.push(...joining);
        return joining;
      };
      try {
        const terms = { maxBytes: this.limits.batchBytes, mayWait: attempt === 1, gather };
        const later = await runBatch(left, this.context, terms);
        this.queue.putBack(later);
        for (const pending of begun) if (!later.includes(pending)) this.queue.charge(pending, pending.cost ?? 0);
        return;
      } catch (error) {
        if (!(error instanceof RetryableError) || attempt === MAX_ATTEMPTS) throw error;
        await this.pause(attempt);
      }
    }
  }

  private async pause(attempt: number): Promise<void> {
    const { timing, observer } = this.context;
    observer?.retried();
    await timing.sleep(timing.random() * Math.min(FIRST_PAUSE_MS * 2 ** attempt, MAX_PAUSE_MS));
  }
}
