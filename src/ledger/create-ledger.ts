import { formatAssetId } from '../assets/identifiers.js';
import type { DurableClock } from './durable-clock.js';
import { Ledger } from './ledger.js';
import { type LedgerObserver, UNOBSERVED_LEDGER } from './ledger-observer.js';
import type { LedgerStore } from './ledger-store.js';
import { observedStore } from './observed-store.js';
import type { SettledClock } from './settled-clock.js';
import type { Timing } from './timing.js';
import type { WallClock } from './wall-clock.js';

/** What a process's ledger works with. */
export interface LedgerParts {
  store: LedgerStore;
  timing: Timing;
  wallClock: Pick<WallClock, 'nowUs'>;
  settled: SettledClock;
  durable: DurableClock;
  /** The local day of an instant, `2017-08-16`. */
  dayOf: (us: number) => string;
  assetIdPrefix: string;
  observer?: LedgerObserver;
}

/** The ledger as the service runs it; a simulation makes it of other parts. */
export function createLedger({
  store,
  timing,
  wallClock,
  settled,
  durable,
  dayOf,
  assetIdPrefix,
  observer = UNOBSERVED_LEDGER,
}: LedgerParts): Ledger {
  return new Ledger({
    store: observedStore(store, observer),
    timing,
    retrying: () => observer.retried(),
    committed: (lastUs) => {
      settled.raise(lastUs);
      durable.raise(lastUs);
    },
    // Never behind what this process has seen, should the database ever fall back.
    candidateUs: () => Math.max(wallClock.nowUs(), settled.us + 1),
    dayOf,
    assetIdOf: (day, number) => formatAssetId(assetIdPrefix, day, number),
  });
}
