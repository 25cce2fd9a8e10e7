import type { Counts, FacetCounts } from './index-answers.js';

/** Maximum of combinations of state, type and regions to examine: brokers can create very many. */
export const MAX_FACETS = 5_000;

/** Number of entries with one combination of state, type and regions; `regions` is JSON of pairs of key and name. */
export interface Facet {
  status: string;
  type: string;
  regions: string;
  n: number;
}

/** Brokers may write any number of names. */
const MAX_REGIONS = 500;

/** A region's count with all of its spellings. */
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
