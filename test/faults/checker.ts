import {
  draftsAndDirection,
  finalEquality,
  noMissedChange,
  orderOfPages,
  readsNeverGoBack,
  readYourWrites,
  renderingsAgree,
  uniqueInstants,
} from './feed-invariants.js';
import type { FinalState } from './final-state.js';
import type { History, Mark } from './history.js';
import {
  answersAreListed,
  denseNumbers,
  liveness,
  longestWriteGaps,
  noLostUpdate,
  noPhantom,
  nothingAcknowledgedIsLost,
  realTimeOrder,
  unknownAtMostOnce,
  type WriteGap,
} from './write-invariants.js';

const SHOWN_GAPS = 5;

export type Invariant = (history: History, final: FinalState) => string[];

/** What must hold of every run, by its number and name. */
export const INVARIANTS: readonly (readonly [name: string, invariant: Invariant])[] = [
  ['1 no missed change', noMissedChange],
  ['2 final equality', finalEquality],
  ['3 unique instants', uniqueInstants],
  ['4 order of pages', orderOfPages],
  ['5 answers are listed', answersAreListed],
  ['6 real-time order', realTimeOrder],
  ['7 read your writes', readYourWrites],
  ['8 reads never go back', readsNeverGoBack],
  ['9 no phantom', noPhantom],
  ['10 unknown at most once', unknownAtMostOnce],
  ['11 nothing acknowledged is lost', nothingAcknowledgedIsLost],
  ['12 no lost update', noLostUpdate],
  ['13 dense numbers', denseNumbers],
  ['14 drafts and direction', draftsAndDirection],
  ['15 renderings agree', renderingsAgree],
  ['16 liveness', liveness],
];

/** Checks everything. @returns violations, each with the name of its invariant */
export function check(history: History, final: FinalState): string[] {
  const violations = INVARIANTS.flatMap(([name, invariant]) =>
    invariant(history, final).map((sentence) => `${name}: ${sentence}`),
  );
  return [...violations, ...history.complaints.map((complaint) => `clients: ${complaint}`)];
}

/** Times that a run measured, in milliseconds; undefined where nothing of the kind happened. */
export interface Measured {
  /** The longest request that met a frozen database. */
  longestInDatabaseFreeze: number | undefined;
  /** The longest of those that were sent 5 s and later after the freeze began. */
  longestLateInDatabaseFreeze: number | undefined;
  longestInServiceFreeze: number | undefined;
  /** The slowest, from the moment a service was started again to its first success. */
  serviceBack: number | undefined;
  /** The slowest, from the moment the database accepted connections again to the first acknowledged write. */
  databaseBack: number | undefined;
  /** The longest times in which no write was acknowledged. */
  writeGaps: readonly WriteGap[];
}

export function measure(history: History): Measured {
  const { freezes, marks } = history;
  const ofDatabase = freezes.filter(({ target }) => target === 'database');
  return {
    longestInDatabaseFreeze: highest(ofDatabase.map(({ longestMs }) => longestMs)),
    longestLateInDatabaseFreeze: highest(ofDatabase.map(({ longestLaterMs }) => longestLaterMs)),
    longestInServiceFreeze: highest(freezes.filter((freeze) => freeze.node !== -1).map(({ longestMs }) => longestMs)),
    serviceBack: highest(waits(marks, 'service is started')),
    databaseBack: highest(waits(marks, 'database accepts')),
    writeGaps: longestWriteGaps(history, SHOWN_GAPS),
  };
}

function waits(marks: readonly Mark[], what: Mark['what']): number[] {
  return marks.flatMap(({ what: of, at, first }) => (of === what && first !== undefined ? [first - at] : []));
}

function highest(values: readonly number[]): number | undefined {
  const positive = values.filter((value) => value > 0);
  return positive.length === 0 ? undefined : Math.max(...positive);
}
