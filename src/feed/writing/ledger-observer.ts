/** How long a batch took. Times in milliseconds. */
export interface BatchTimes {
  changes: number;
  /** About how many bytes the database wrote for them. */
  bytes: number;
  /** From asking for a transaction to the answer to COMMIT. */
  totalMs: number;
  /** From asking for the lock of the feed's clock to having it: mostly the time of other processes' commits. */
  clockWaitMs: number;
  /** From having that lock to the answer to COMMIT: all other writers wait meanwhile. */
  clockHeldMs: number;
  commitMs: number;
}

/** Called with what happens in the ledger, while writers wait: it must be quick and never throw. */
export interface LedgerObserver {
  committed(batch: BatchTimes): void;
  /** A batch was rolled back by the database and is tried again. */
  retried(): void;
  /** COMMIT was sent and not answered; the ledger finds out whether it was kept. */
  outcomeUnknown(): void;
  /** An answer waited at the read barrier. */
  waitedForBarrier(ms: number): void;
}

/** Injection token of the LedgerObserver; of nobody where no metrics are served. */
export const LEDGER_OBSERVER = Symbol('LEDGER_OBSERVER');
