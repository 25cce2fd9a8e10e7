import { formatAssetId } from '../../asset/identifiers.js';
import type { DurableClock, SettledClock } from '../known-clocks.js';
import { Ledger } from './ledger.js';
import { type LedgerObserver, UNOBSERVED_LEDGER } from './ledger-observer.js';
import type { LedgerStore } from './ledger-store.js';
import type { Timing } from './timing.js';
import type { WallClock } from '../../clock/wall-clock.js';

/** What a process's ledger works with. */
export interface LedgerParts {
  store: LedgerStore;
  timing: Timing;
  wallClock: Pick<WallClock, 'nowUs' | 'isBelieved'>;
  /** How far an instant may be ahead of the time and still say which day it is; in microseconds. */
  mostLeadUs?: number;
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
  mostLeadUs = Infinity,
  settled,
  durable,
  dayOf,
  assetIdPrefix,
  observer = UNOBSERVED_LEDGER,
}: LedgerParts): Ledger {
  return new Ledger({
    store,
    timing,
    observer,
    committed: (lastUs) => {
      settled.raise(lastUs);
      durable.raise(lastUs);
    },
    untilDurable: (us) => durable.waitFor(us),
    // Never behind what this process has seen, even if the database goes back to an older state.
    candidateUs: () => Math.max(wallClock.nowUs(), settled.us + 1),
    timeUs: () => wallClock.nowUs(),
    mayWrite: () => wallClock.isBelieved,
    dayOf: (us) => {
      const nowUs = wallClock.nowUs();
      return dayOf(us - nowUs > mostLeadUs ? nowUs : us);
    },
    assetIdOf: (day, number) => formatAssetId(assetIdPrefix, day, number),
  });
}
