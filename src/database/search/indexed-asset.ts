/** A region's name as a broker wrote it, and a key that all spellings share. */
export interface Region {
  key: string;
  name: string;
}

/** An asset as the index stores it. */
export interface IndexedAsset {
  /** 32 lower-case hex characters. */
  id: string;
  /** Its instant in the feed, in microseconds. */
  modifiedUs: number;
  /** Local days of the creation and of the last change: `2026-11-21`. */
  createdDay: string;
  changedDay: string;
  status: string;
  /** The current name of its type. */
  assetType: string;
  /** Without duplicates. */
  regions: readonly Region[];
  /** Undefined if the amount was erased, or the type has no value. */
  value: { currency: string; amount: number } | undefined;
  /** Search terms of letters, digits and colons, without duplicates, separated by spaces. */
  terms: string;
  /** Instant of the last erasure, in microseconds; 0 if there was none. */
  erasedUs: number;
}

/** The part of the feed that the index covers. It is built from the newest change back to the first. Microseconds since 1970 UTC. */
export interface IndexPosition {
  epoch: string;
  /** The newest change in the index; negative if it is empty. */
  us: number;
  /** The oldest change in the index while it is built; -1 once complete. */
  fromUs: number;
}

/** The part of the feed between two positions, the oldest change first. */
export interface IndexedPart {
  from: IndexPosition;
  to: IndexPosition;
  assets: readonly IndexedAsset[];
}
