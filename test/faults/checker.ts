import {
  draftsAndDirection,
  finalEquality,
  noMissedChange,
  orderOfPages,
  readsNeverGoBack,
  readYourWrites,
  uniqueInstants,
} from './feed-invariants.js';
import type { FinalState } from './final-state.js';
import type { History } from './history.js';
import {
  answersAreListed,
  denseNumbers,
  liveness,
  noLostUpdate,
  noPhantom,
  nothingAcknowledgedIsLost,
  realTimeOrder,
  unknownAtMostOnce,
} from './write-invariants.js';

type Invariant = (history: History, final: FinalState) => string[];

/** The invariants of every run, by number and name. */
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
  ['15 liveness', liveness],
];

/** Checks all invariants. @returns violations, each with the name of its invariant */
export function check(history: History, final: FinalState): string[] {
  const violations = INVARIANTS.flatMap(([name, invariant]) =>
    invariant(history, final).map((sentence) => `${name}: ${sentence}`),
  );
  return [...violations, ...history.complaints.map((complaint) => `clients: ${complaint}`)];
}
