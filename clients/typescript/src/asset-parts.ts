/*
 * What is the same for every asset type; the members are told in the registry's description of an asset.
 */

/** What the registry sets. Times are ISO 8601 with six fraction digits and an offset, such as `2017-08-16T18:36:13.882146+03:00`. */
export interface ServiceFields {
  /** 32 lower-case hex digits. */
  id: string;
  /** `UA-YYYY-MM-DD-NNNNNN` */
  assetID: string;
  /** The name of the account that created it. */
  owner: string;
  /** When it was created. */
  date: string;
  /** When it was last changed: its place in the feed. */
  dateModified: string;
  /** 24 to 32 lower-case hex digits; absent when the asset is linked to no lot. */
  relatedLot?: string;
  /** What was erased of it: a field that is named here may be missing, even if it is required. */
  redacted?: { pointer: string; reason: string; at: string }[];
}

/**
 * What JSON Merge Patch may change of `T`: `null` removes, and a list of texts stands in the place of the one before. Items are merged by their ids: those of a list are changed or added, and
 * `{ [id]: null }` removes one.
 */
export type Patch<T> = T extends readonly string[]
  ? T
  : T extends readonly (infer Item)[]
    ? Patch<Item>[] | Record<string, Patch<Item> | null>
    : T extends object
      ? { [Name in keyof T]?: Patch<T[Name]> | null }
      : T;

/** `T` as a dry run shows it: an item that the registry would give an id has none. */
export type AsTried<T> = T extends readonly (infer Item)[]
  ? Item extends { id: string }
    ? (AsTried<Omit<Item, 'id'>> & { id?: string })[]
    : T
  : T extends object
    ? { [Name in keyof T]: AsTried<T[Name]> }
    : T;

/** The same of a new asset: what only its creation gives is not there. */
export type AsTriedNew<T> = T extends unknown ? AsTried<Omit<T, 'id' | 'assetID' | 'date' | 'dateModified'>> : never;
