import type { Counts, FacetCounts } from './index-answers.js';

/** Combinations of a state, a type and regions that are looked at: brokers can make very many. */
export const MAX_FACETS = 5_000;

/** How many entries have a state, a type and regions: pairs of key and name as JSON. */
export interface Facet {
  status: string;
  type: string;
  regions: string;
  n: number;
}

/** Brokers write as many as they like. */
const MAX_REGIONS = 500;

/** What is the same for all spellings of a region. */
interface CountedRegion {
  n: number;
  names: Map<string, number>;
}

export function countFacets(facets: Iterable<Facet>): FacetCounts {
  const [status, assetType] = [new Map<string, number>(), new Map<string, number>()];
  const regions = new Map<string, CountedRegion>();
  for (const facet of facets) {
    add(status, facet.status, facet.n);
    add(assetType, facet.type, facet.n);
    for (const [key, name] of JSON.parse(facet.regions) as [string, string][]) {
      const region = regions.get(key) ?? { n: 0, names: new Map<string, number>() };
      region.n += facet.n;
      add(region.names, name, facet.n);
      regions.set(key, region);
    }
  }
  const named = [...regions.values()].map(({ n, names }) => [mostFrequent(names), n] as const);
  return { status: byCount(status), assetType: byCount(assetType), region: byCount(named).slice(0, MAX_REGIONS) };
}

function add(counts: Map<string, number>, name: string, n: number): void {
  counts.set(name, (counts.get(name) ?? 0) + n);
}

function mostFrequent(names: ReadonlyMap<string, number>): string {
  return byCount(names)[0]?.[0] ?? '';
}

function byCount(counts: Iterable<readonly [string, number]>): Counts {
  return [...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
}
