import type { IndexPageQuery, IndexQuery } from './index-query.js';
import type { IndexPosition } from './indexed-asset.js';

/** Hits are counted up to here, and looked at for counts of what may be chosen. */
export const MAX_COUNTED = 10_000;

export interface IndexHit {
  id: string;
  modifiedUs: number;
  /** Where the order is by amounts. */
  amount?: number;
}

/** How many have which value, the most frequent first. */
export type Counts = readonly (readonly [name: string, count: number])[];

export interface FacetCounts {
  status: Counts;
  assetType: Counts;
  /** At most 500, each by its most frequent spelling. */
  region: Counts;
}

export interface FoundPage {
  hits: IndexHit[];
  /** Of all hits: MAX_COUNTED at most, and one more where there are more. */
  count: number;
  /** Where they were asked for. */
  facets: FacetCounts | undefined;
}

/** What is counted over the whole index. */
export interface Totals extends FacetCounts {
  total: number;
  /** By currency, with the exact sum as a plain decimal, `1234.5`. */
  value: { currency: string; sum: string; count: number }[];
  /** How many were created, and how many last changed, in each day that has any, the oldest first: `20261121`. */
  created: DayCounts;
  changed: DayCounts;
}

export type DayCounts = [day: number, count: number][];

/** An answer of one moment of the index. Of a large index, counts over all of it are some seconds old: `us` is of their moment then. */
export interface OfMoment<Value> {
  position: IndexPosition;
  us: number;
  value: Value;
}

/** What a reading thread is asked: a page of what is found, where a query that nothing can match is undefined; or what is counted over all. */
export type ReaderAsked = { find: IndexQuery | undefined; page: IndexPageQuery } | 'totals';
