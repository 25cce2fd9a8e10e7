/*
 * Types shared by all asset types; the registry's OpenAPI document describes the members.
 */

/** Fields that the registry sets. Times are ISO 8601 with six fraction digits and an offset, such as `2017-08-16T18:36:13.882146+03:00`. */
export interface ServiceFields {
  /** 32 lower-case hex digits. */
  id: string;
  /** `UA-YYYY-MM-DD-NNNNNN` */
  assetID: string;
  /** The name of the account that created it. */
  owner: string;
  /** Time of creation. */
  date: string;
  /** Time of the last change, and the asset's position in the feed. */
  dateModified: string;
  /** 24 to 32 lower-case hex digits; absent if the asset is not linked to a lot. */
  relatedLot?: string;
  /** Erased fields: they may be missing even if they are required. */
  redacted?: { pointer: string; reason: string; at: string }[];
}

/**
 * A JSON Merge Patch of `T`: `null` removes a field, and a list of texts replaces the old list. Items are merged by id: a list adds or changes
 * items, and `{ [id]: null }` removes one.
 */
export type Patch<T> = T extends readonly string[]
  ? T
  : T extends readonly (infer Item)[]
    ? Patch<Item>[] | Record<string, Patch<Item> | null>
    : T extends object
      ? { [Name in keyof T]?: Patch<T[Name]> | null }
      : T;

/** `T` in the answer of a dry run: a new item has no id yet. */
export type AsDryRun<T> = T extends readonly (infer Item)[]
  ? Item extends { id: string }
    ? (AsDryRun<Omit<Item, 'id'>> & { id?: string })[]
    : T
  : T extends object
    ? { [Name in keyof T]: AsDryRun<T[Name]> }
    : T;

/** A new asset in the answer of a dry run, without the fields that only its creation sets. */
export type AsDryRunNew<T> = T extends unknown ? AsDryRun<Omit<T, 'id' | 'assetID' | 'date' | 'dateModified'>> : never;
