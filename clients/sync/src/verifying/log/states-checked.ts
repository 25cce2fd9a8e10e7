/** The fault of one state. */
interface StateFault {
  place: number | null;
  id: string;
  dateModified: string;
  why: string;
}

/** Formats a fault as one line. */
export function faultText({ place, id, dateModified, why }: StateFault): string {
  const where = place === null ? 'no entry' : `entry at place ${place}`;
  return `${where} (asset ${id}, dateModified ${dateModified}): ${why}`;
}

/** Result of checking a copy against the log. */
export interface StatesChecked {
  /** Assets of the copy that match their entries. */
  assets: number;
  /** Entries without a commitment, because their state was damaged before it was logged. */
  unbound: number;
  /** Entries whose states have fields that were erased later. */
  erased: number;
  /** Assets of the copy that changed after the last entry. */
  newer: number;
  /** Number of those that changed more than ten minutes ago, which means that the log is incomplete. */
  late: number;
  /** dateModified of the last entry; empty if the log is. */
  upTo: string;
  /** Entries that differed in the copy. */
  keptOtherwise: number;
  faults: StateFault[];
}
