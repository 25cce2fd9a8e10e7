import type { LedgerObserver } from './ledger-observer.js';
import { type LedgerStore, type LedgerTransaction, OutcomeUnknownError } from './ledger-store.js';

/** The same store, whose batches tell an observer how long they took. */
export function observedStore(store: LedgerStore, observer: LedgerObserver): LedgerStore {
  return {
    get isAway() {
      return store.isAway;
    },
    begin: async () => {
      const begunMs = performance.now();
      return observed(await store.begin(), begunMs, observer);
    },
  };
}

/** Only what is measured is put in the place of the transaction's own; a transaction that takes no instants is no batch. */
function observed(transaction: LedgerTransaction, begunMs: number, observer: LedgerObserver): LedgerTransaction {
  const advanceClock = transaction.advanceClock.bind(transaction);
  const commit = transaction.commit.bind(transaction);
  let clock: { changes: number; waitMs: number; takenMs: number } | undefined;
  return Object.assign(transaction, {
    advanceClock: async (candidateUs: number, count: number): Promise<number> => {
      const askedMs = performance.now();
      const lastUs = await advanceClock(candidateUs, count);
      const takenMs = performance.now();
      clock = { changes: count, waitMs: takenMs - askedMs, takenMs };
      return lastUs;
    },
    commit: async (): Promise<void> => {
      const sentMs = performance.now();
      try {
        await commit();
      } catch (error) {
        if (error instanceof OutcomeUnknownError) observer.outcomeUnknown();
        throw error;
      }
      if (clock === undefined) return;
      const overMs = performance.now();
      observer.committed({
        changes: clock.changes,
        totalMs: overMs - begunMs,
        clockWaitMs: clock.waitMs,
        clockHeldMs: overMs - clock.takenMs,
        commitMs: overMs - sentMs,
      });
    },
  });
}
