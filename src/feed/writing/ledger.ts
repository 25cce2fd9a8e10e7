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

/** The bounds of the lane, of which admission control bounds what waits. Tests set smaller ones. */
export interface LaneLimits extends BatchLimits {
  /** How long a request waits for its answer, with the time that it waited before it came here. */
  deadlineMs: number;
}

export const LANE_LIMITS: LaneLimits = {
  batchCount: 64,
  batchBytes: 2 * 1024 * 1024,
  deadlineMs: TIME_BUDGETS_MS.answer,
};

const MAX_ATTEMPTS = 5;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 200;
/** Until the size of an account's assets is known, so many of its changes are taken to fill a batch. */
const UNKNOWN_AT_ONCE = 4;

/**
 * The one way to write. It has one lane: one batch at a time, one transaction a batch. A request that comes while a batch is under way joins
 * the next one. An idle lane starts at once. Why no change is ever missed: docs/architecture.md.
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
    this.queue = new FairQueue(limits.batchBytes / UNKNOWN_AT_ONCE);
    this.largeOperationDelay = new LargeOperationDelay(context.timing);
  }

  /**
   * Runs `operation` and answers after its commit, with its assets as they are then, in their order.
   * @throws ApiError: what the operation refuses with; 503 when the database is away, or the deadline passes (the
   * change may then have been kept or not)
   */
  submit(operation: Operation): Promise<Asset[]> {
    const refusal = this.refusalOf(operation);
    if (refusal !== undefined) return Promise.reject(refusal);
    const pending = this.pendingFor(operation);
    this.queue.add(pending);
    if (!isLarge(pending, this.limits)) this.largeOperationDelay.noteOthers();
    this.largeOperationDelay.wake();
    operation.waiter?.whenGone(() => this.drop(pending));
    this.running ??= this.run();
    return this.whenDurable(pending);
  }

  /**
   * Keeps a transfer code in the place of an earlier one, between two batches and in a transaction of its own: it changes nothing that the
   * feed shows, so it takes no instant.
   * @param operation decides whether it may be, and changes nothing itself
   * @throws ApiError as `submit`
   */
  storeTransferCode(operation: Operation, code: NewTransferCode): Promise<Asset[]> {
    const refusal = this.refusalOf(operation);
    if (refusal !== undefined) return Promise.reject(refusal);
    const pending = this.pendingFor(operation);
    this.tasks.add(() => this.keep(pending, code), pending);
    this.largeOperationDelay.wake();
    this.running ??= this.run();
    return pending.answer;
  }

  private async keep(pending: PendingOperation, code: NewTransferCode): Promise<void> {
    for (let attempt = 1; !pending.settled; attempt++) {
      const work = (transaction: LedgerTransaction): Promise<Asset[]> =>
        storeTransferCode(pending, code, transaction, this.context, attempt === 1);
      try {
        if (pending.operation.waiter?.isGone()) throw unavailable('client_gone');
        pending.resolve(await this.inTransaction(work));
      } catch (error) {
        if (error instanceof AssetLockedError) return this.tasks.add(() => this.keep(pending, code), pending);
        if (error instanceof RetryableError && attempt < MAX_ATTEMPTS) await this.pause(attempt);
        else pending.reject(refusalFor(error));
      }
    }
  }

  /** Why an operation would not be taken now, whatever it decides. */
  refusalOf(operation: Operation): ApiError | undefined {
    if (!this.context.clock.mayWrite()) return clockInDoubt();
    // It would fail, so it does not wait behind a batch that has yet to find that out.
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

  /** Waits at the read barrier: an operation that changes nothing has no commit, and may answer what another process has just written. */
  private async whenDurable(pending: PendingOperation): Promise<Asset[]> {
    const assets = await pending.answer;
    await pending.beforeDeadline(this.context.clock.untilDurable(assets));
    return assets;
  }

  /** Drops an operation whose client has gone, unless it is in a batch already. */
  private drop(pending: PendingOperation): void {
    if (this.queue.remove(pending)) pending.reject(unavailable('client_gone'));
  }

  /**
   * A maintenance task: writes down the day on which a key was used last.
   * @param day the local one, `2017-08-16`
   * @throws RetryableError, DatabaseAwayError or the driver's error
   */
  async markKeyUsed(id: string, day: string): Promise<void> {
    await this.inTurn((transaction) => transaction.markKeyUsed(id, day));
  }

  /** A maintenance task: writes down that the registry is at work, for the next start to compare its clock with. @throws the same */
  async noteTime(): Promise<void> {
    await this.inTurn((transaction) => transaction.noteTime(this.context.clock.timeUs()));
  }

  /**
   * Runs another room's statements in the lane, between two batches, in a transaction of its own.
   * @throws RetryableError, DatabaseAwayError, OutcomeUnknownError or the driver's error
   */
  between<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.inTurn((transaction) => transaction.run(work));
  }

  /** Runs a maintenance task in the lane, between two batches, in a transaction of its own. */
  private inTurn<T>(work: (transaction: LedgerTransaction) => Promise<T>): Promise<T> {
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
    return { changes: this.queue.count, bytes: this.queue.held };
  }

  /** Resolves when everything that was submitted has been answered. */
  async idle(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  private async run(): Promise<void> {
    while (this.queue.count + this.tasks.count > 0) {
      // Requests that arrived together share a batch.
      await this.context.timing.immediate();
      const choice = new BatchSelection(this.queue, this.limits, this.largeOperationDelay);
      const batch = choice.next();
      if (batch.length > 0) await this.work(batch, choice);
      if (batch.some((pending) => !isLarge(pending, this.limits))) this.largeOperationDelay.noteOthers();
      const task = this.tasks.next();
      if (task !== undefined) await task();
      // What is left lets others go first, or rests.
      else if (batch.length === 0 && this.queue.count + this.tasks.count > 0)
        await this.largeOperationDelay.waitUntil(Math.min(this.tasks.againMs, choice.againMs));
    }
    this.running = undefined;
  }

  /** @param choice where what comes while the batch waits for the clock may join it */
  private async work(batch: PendingOperation[], choice?: BatchSelection): Promise<void> {
    try {
      await this.runWithRetries(batch, choice);
    } catch (error) {
      const left = batch.filter((pending) => !pending.settled);
      const away = error instanceof DatabaseAwayError || error instanceof RetryableError;
      // One operation with a defect must not fail the others: each is run alone, and fails alone.
      if (!away && batch.length > 1) for (const pending of left) await this.work([pending]);
      else for (const pending of left) pending.reject(refusalFor(error));
    }
  }

  private async runWithRetries(batch: PendingOperation[], choice?: BatchSelection): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const left = batch.filter((pending) => !pending.settled);
      if (left.length === 0) return;
      // The database refused the batch before this one: this one would fail, too.
      if (this.context.store.isAway) throw new DatabaseAwayError('The database takes no writes');
      const begun = [...left];
      const gather = (): PendingOperation[] => {
        const more = choice?.next() ?? [];
        batch.push(...more);
        begun.push(...more);
        return more;
      };
      try {
        const terms = { mostBytes: this.limits.batchBytes, mayWait: attempt === 1, gather };
        const later = await runBatch(left, this.context, terms);
        this.queue.putBack(later);
        for (const pending of begun) if (!later.includes(pending)) this.queue.spend(pending, pending.cost ?? 0);
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
    await timing.sleep(timing.random() * Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS));
  }
}
