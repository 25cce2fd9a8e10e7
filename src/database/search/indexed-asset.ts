/** A name that people gave, and what is the same for all of its spellings. */
export interface Region {
  key: string;
  name: string;
}

/** What the index keeps of an asset. Terms have a space between them, and each stands there once: letters, digits and colons. */
export interface IndexedAsset {
  /** 32 lower-case hex characters. */
  id: string;
  /** Its place in the feed, in microseconds. */
  modifiedUs: number;
  /** The days of its creation and of its last change in the registry's time zone: `2026-11-21`. */
  createdDay: string;
  changedDay: string;
  status: string;
  /** The current name of its type. */
  assetType: string;
  /** Each once. */
  regions: readonly Region[];
  /** Undefined where the amount was erased, and for a type without a value. */
  value: { currency: string; amount: number } | undefined;
  /** Terms of what is typed and of what is chosen. */
  terms: string;
  /** When a field of it was erased last, in microseconds; 0 where none was. */
  erasedUs: number;
}

/** Which part of which feed is in the index. An index is built from the newest change on, back to the first. Microseconds since 1970 UTC. */
export interface IndexPosition {
  epoch: string;
  /** The newest change that it has; negative while it is empty. */
  us: number;
  /** The oldest change that it has while it is built; -1 once it has all. */
  fromUs: number;
}

/** A part of the feed, the oldest change first: what lies between two positions. */
export interface IndexedPart {
  from: IndexPosition;
  to: IndexPosition;
  assets: readonly IndexedAsset[];
}
