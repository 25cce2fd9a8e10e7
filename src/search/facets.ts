import { setImmediate } from 'node:timers/promises';
import { type IndexHit, type IndexQuery, isAlways } from '../database/search/index-query.js';
import type { Facet, SearchReader } from '../database/search/search-reader.js';
import { MOST_COUNTED } from '../database/search/search-reader.js';
import { unavailable } from '../errors/errors.js';
import type { Caller } from '../http/caller.js';
import type { SearchQuery } from './search-query.js';
import { regionKey } from './region-key.js';

type Counted = readonly [name: string, count: number];

/** The client that searches: it may go away, and pays for what takes long. */
export type Searcher = Pick<Caller, 'isGone' | 'worked'>;

/** How many of the hits have which value, the most frequent first. */
export type Counts = readonly Counted[];

export interface FacetCounts {
  status: Counts;
  assetType: Counts;
  /** At most 500, by their names as they were written first. */
  region: Counts;
}

/** Brokers write as many as they like. */
const MOST_REGIONS = 500;
const SORTED_AT_ONCE = 1_000;
/** Facets that are counted before pending I/O is handled: brokers can give each 50 regions. */
const COUNTED_AT_ONCE = 100;

/** What is counted: the hits of a query. */
export interface Counting {
  query: SearchQuery;
  /** As SearchReader counts. */
  count: number;
  /** All hits, where they were read. */
  all?: readonly IndexHit[] | undefined;
  caller?: Searcher | undefined;
}

/**
 * Counts of what may be chosen among the hits. Few hits are looked at, each. Of many, what was counted as they came is taken where only states,
 * types and one region were chosen; else the newest are looked at.
 * @throws ApiError 503 where the client has gone
 */
export async function countFacets(
  reader: SearchReader,
  wanted: IndexQuery,
  { query, count, all, caller }: Counting,
): Promise<FacetCounts> {
  const isCounted = count > MOST_COUNTED && isByChoice(query, wanted);
  if (!isCounted) return facetsOf(reader, reader.facets(wanted, count, all), caller);
  const [region] = query.region;
  const chosen = (key: string): Facet[] =>
    reader
      .choices(key)
      .filter(({ status, type }) => isAny(query.status, status) && isAny(query.assetType, type))
      .map(({ status, type, entries: n }) => ({ status, type, regions: '[]', n }));
  if (region !== undefined) {
    const { status, assetType } = await facetsOf(reader, chosen(regionKey(region)));
    return { status, assetType, region: (await facetsOf(reader, reader.facets(wanted, count), caller)).region };
  }
  const regions = reader.regions(MOST_REGIONS).map(({ key, name }): Counted => [name, sum(chosen(key))]);
  return { ...(await facetsOf(reader, chosen(''))), region: byCount(regions) };
}

function isByChoice({ region }: SearchQuery, wanted: IndexQuery): boolean {
  return wanted.isByFacets && wanted.currency === undefined && isAlways(wanted) && region.length < 2;
}

function isAny(chosen: readonly string[], value: string): boolean {
  return chosen.length === 0 || chosen.includes(value);
}

function sum(facets: readonly Facet[]): number {
  return facets.reduce((total, { n }) => total + n, 0);
}

/** @param facets of the hits, in groups: brokers can make each hit one, with fifty regions that no other has */
async function facetsOf(
  reader: Pick<SearchReader, 'regionName'>,
  facets: Iterable<Facet> | AsyncIterable<Facet>,
  caller?: Searcher,
): Promise<FacetCounts> {
  const [status, assetType, region] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  const add = (counts: Map<string, number>, name: string, n: number): unknown =>
    counts.set(name, (counts.get(name) ?? 0) + n);
  let counted = 0;
  for await (const facet of facets) {
    add(status, facet.status, facet.n);
    add(assetType, facet.type, facet.n);
    for (const key of JSON.parse(facet.regions) as string[]) add(region, key, facet.n);
    caller?.worked(facet.regions.length);
    if (caller?.isGone()) throw unavailable('client_gone');
    if (++counted % COUNTED_AT_ONCE === 0) await setImmediate();
  }
  const named = (await mostFrequent(region)).map(([key, n]): Counted => [reader.regionName(key), n]);
  return { status: byCount([...status]), assetType: byCount([...assetType]), region: named };
}

/** The most frequent regions: a few are sorted at a time, as there may be very many. */
async function mostFrequent(regions: Iterable<Counted>): Promise<Counts> {
  let best: Counts = [];
  let some: Counted[] = [];
  for (const region of regions) {
    if (some.push(region) < SORTED_AT_ONCE) continue;
    best = byCount([...best, ...some]).slice(0, MOST_REGIONS);
    some = [];
    await setImmediate();
  }
  return byCount([...best, ...some]).slice(0, MOST_REGIONS);
}

/** Adds up counts with the same name. */
export function countsOf(counts: Counts): Counts {
  const sums = new Map<string, number>();
  for (const [name, n] of counts) sums.set(name, (sums.get(name) ?? 0) + n);
  return byCount([...sums]);
}

function byCount(counts: Counts): Counts {
  return counts.filter(([, n]) => n > 0).toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
}
