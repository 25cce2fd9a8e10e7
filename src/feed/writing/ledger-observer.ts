/** What a batch took. Times in milliseconds. */
export interface BatchTimes {
  /** Changes that it has committed. */
  changes: number;
  /** From the wish for a transaction to the answer to COMMIT. */
  totalMs: number;
  /** From the wish for the clock to having it: mostly other processes' commits. */
  clockWaitMs: number;
  /** From having the clock to the answer to COMMIT: as long as every other writer waits. */
  clockHeldMs: number;
  commitMs: number;
}

/** Who wants to know how the ledger is doing. Told on the way of every batch, so it is quick and never throws. */
export interface LedgerObserver {
  /** A batch was committed. */
  committed(batch: BatchTimes): void;
  /** A batch was rolled back by the database and is tried again. */
  retried(): void;
  /** COMMIT was sent and not answered; the ledger finds out what became of it. */
  outcomeUnknown(): void;
  /** An answer has waited for that time at the read barrier. */
  waitedForBarrier(ms: number): void;
}

/** Injection token of the LedgerObserver. */
export const LEDGER_OBSERVER = Symbol('LEDGER_OBSERVER');

/** Where nobody wants to know: a simulation, a test. */
export const UNOBSERVED_LEDGER: LedgerObserver = {
  committed: () => undefined,
  retried: () => undefined,
  outcomeUnknown: () => undefined,
  waitedForBarrier: () => undefined,
};
