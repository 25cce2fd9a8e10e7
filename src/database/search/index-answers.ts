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
  /** Of all hits: where `isCountExact` is false there are more. */
  count: number;
  isCountExact: boolean;
  /** Where they were asked for. */
  facets: FacetCounts | undefined;
}

/** Amounts in a currency. */
export interface AmountSum {
  currency: string;
  /** The exact sum as a plain decimal, `1234.5`. */
  sum: string;
  count: number;
}

/** What is counted over the whole index. */
export interface Totals extends FacetCounts {
  total: number;
  value: AmountSum[];
  /** How many were created, and how many last changed, in each day that has any, the oldest first: `20261121`. */
  created: DayCounts;
  changed: DayCounts;
}

/** What is counted of the hits of a query. */
export interface QueryTotals extends Omit<Totals, 'value'> {
  /** With the exact median as a plain decimal: the mean of the two amounts in the middle of an even number. */
  value: (AmountSum & { median: string })[];
  /** The amounts of what last changed in each month that has any, `202611`. */
  months: (AmountSum & { month: number })[];
  /** How many hits were read for it; 0 where it was cached, or counted by indexes. */
  readHits: number;
}

export type DayCounts = [day: number, count: number][];

/** An answer of one moment of the index. Of a large index, counts over all of it are some seconds old: `us` is of their moment then. */
export interface OfMoment<Value> {
  position: IndexPosition;
  us: number;
  value: Value;
}

/** What a reading thread is asked: a page of hits, what is counted of all hits, or what is counted over all. A query that nothing can match is undefined. */
export type ReaderAsked =
  { find: IndexQuery | undefined; page: IndexPageQuery } | { count: IndexQuery | undefined } | 'totals';
