/** What is wrong with one state. */
interface StateFault {
  place: number | null;
  id: string;
  dateModified: string;
  why: string;
}

/** One line, for people. */
export function shownState({ place, id, dateModified, why }: StateFault): string {
  const where = place === null ? 'no entry' : `entry at place ${place}`;
  return `${where} (asset ${id}, dateModified ${dateModified}): ${why}`;
}

/** What a log says of the states of a copy. */
export interface StatesChecked {
  /** Assets of the copy that are what the log binds. */
  assets: number;
  /** Entries that bind nothing: their state was damaged before its turn came. */
  unbound: number;
  /** Entries of whose states something was erased later. */
  erased: number;
  /** Assets of the copy that were changed after the last entry. */
  newer: number;
  /** Those among them that were changed more than ten minutes ago: the log is not complete yet. */
  late: number;
  /** The last entry's dateModified; empty where there is none. */
  upTo: string;
  /** Entries that the copy kept in another way. */
  keptOtherwise: number;
  faults: StateFault[];
}
