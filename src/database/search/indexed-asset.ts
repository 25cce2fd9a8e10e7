/** A name that people gave, and what is the same for all of its spellings. */
export interface Region {
  key: string;
  name: string;
}

/** What the index keeps of an asset. */
export interface IndexedAsset {
  /** 32 lower-case hex characters. */
  id: string;
  /** Its place in the feed, in microseconds. */
  modifiedUs: number;
  /** Terms with a space between them, each once: letters, digits and colons. */
  tokens: string;
  /** Each once. */
  regions: readonly Region[];
}

/** Up to where the index has followed which feed. */
export interface IndexPosition {
  epoch: string;
  /** Of the last change that is in it; -1 in an empty one. Microseconds. */
  us: number;
}
