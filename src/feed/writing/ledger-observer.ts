/** How long a batch took. Times in milliseconds. */
export interface BatchTimes {
  changes: number;
  /** Approximate bytes that the database wrote for them. */
  bytes: number;
  /** From the begin of the transaction to the answer to COMMIT. */
  totalMs: number;
  /** Waiting for the lock of the feed's clock: mostly for other processes' commits. */
  clockWaitMs: number;
  /** From getting that lock to the answer to COMMIT: all other writers wait meanwhile. */
  clockHeldMs: number;
  commitMs: number;
}

/** Receives events of the ledger while writers wait, so it must be quick and never throw. */
export interface LedgerObserver {
  committed(batch: BatchTimes): void;
  /** The database rolled a batch back, and the ledger retries it. */
  retried(): void;
  /** COMMIT was not answered; the ledger finds out whether it succeeded. */
  outcomeUnknown(): void;
  /** An answer waited at the read barrier. */
  waitedForBarrier(ms: number): void;
}

/** Injection token of the LedgerObserver; not provided if no metrics are served. */
export const LEDGER_OBSERVER = Symbol('LEDGER_OBSERVER');
