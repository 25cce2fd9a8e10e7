import type { IndexPageQuery, IndexQuery } from './index-query.js';
import type { IndexPosition } from './indexed-asset.js';

/** Hits are counted up to this number; facets are counted among as many. */
export const MAX_COUNTED = 10_000;

export interface IndexHit {
  id: string;
  modifiedUs: number;
  /** Only if ordered by amount. */
  amount?: number;
}

/** Number of hits by value, the most frequent first. */
export type Counts = readonly (readonly [name: string, count: number])[];

export interface FacetCounts {
  status: Counts;
  assetType: Counts;
  /** At most 500, each under its most frequent spelling. */
  region: Counts;
}

export interface FoundPage {
  hits: IndexHit[];
  /** Number of all hits, or a lower bound if `isCountExact` is false. */
  count: number;
  isCountExact: boolean;
  /** Only if requested. */
  facets: FacetCounts | undefined;
}

export interface AmountSum {
  currency: string;
  /** The exact sum as a plain decimal, `1234.5`. */
  sum: string;
  count: number;
}

/** Counts over the whole index. */
export interface Totals extends FacetCounts {
  total: number;
  value: AmountSum[];
  /** Assets created, and assets last changed, by day, the oldest first; only days with any, as `20261121`. */
  created: DayCounts;
  changed: DayCounts;
}

/** Counts over the hits of a query. */
export interface QueryTotals extends Omit<Totals, 'value'> {
  /** `median` is exact, a plain decimal; of an even number of amounts the mean of the two middle ones. */
  value: (AmountSum & { median: string })[];
  /** Amounts by the month of the last change, `202611`; only months with any. */
  months: (AmountSum & { month: number })[];
  /** Hits that were read to count; 0 if cached, or counted by indexes. */
  readHits: number;
}

export type DayCounts = [day: number, count: number][];

/** An answer from one read view. Cached counts of a large index may be some seconds old: then `us` is the instant of the counts. */
export interface AtPosition<Value> {
  position: IndexPosition;
  us: number;
  value: Value;
}

/** A request to a reader thread: a page of hits, counts over all hits, or counts over the whole index. An undefined query matches nothing. */
export type ReaderRequest =
  { find: IndexQuery | undefined; page: IndexPageQuery } | { count: IndexQuery | undefined } | 'totals';
