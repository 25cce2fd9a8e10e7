import { amountConditions } from './amounts.js';
import { type ChosenFacets, type IndexQuery, isAlways } from './index-query.js';
import type { SearchFile } from './search-file.js';

/** Where there are more, or more is in them, because brokers write as many regions as they like, lists of terms are read as for any other query. */
const MOST_KNOWN = 1_000;
const MOST_BYTES = 128 * 1_024;

/** A state, a type and regions (keys as JSON), and how many entries have them. */
interface KnownFacet {
  number: number;
  status: string;
  type: string;
  regions: string;
  entries: number;
}

/** How many of the hits have a state, a type and regions (keys as JSON). */
export interface Facet {
  status: string;
  type: string;
  regions: string;
  n: number;
}

/** The facets whose entries are all hits, but for their amounts: these are counted by an index, and none of the entries is read. */
export class WholeFacets {
  private constructor(
    private readonly file: SearchFile,
    private readonly query: IndexQuery,
    private readonly known: readonly KnownFacet[],
  ) {}

  /** @returns undefined where something else is asked for, or there are too many */
  static of(file: SearchFile, query: IndexQuery): WholeFacets | undefined {
    const chosen = query.isByFacets && isAlways(query) ? chosenOf(file, query.facets) : undefined;
    return chosen && new WholeFacets(file, query, chosen);
  }

  /** The facet that each hit has, whatever else is asked for; undefined where hits may have several, or there are too many. */
  static only(file: SearchFile, { facets }: IndexQuery): Omit<Facet, 'n'> | undefined {
    const [first, second] = chosenOf(file, facets) ?? [];
    if (first === undefined || second !== undefined) return undefined;
    const { status, type, regions } = first;
    return { status, type, regions };
  }

  get numbers(): number[] {
    return this.known.map(({ number }) => number);
  }

  /** Counting ends at `most`. */
  count(most: number): number {
    return this.counts(most).reduce((total, { n }) => total + n, 0);
  }

  /** @param most that are counted, of all together */
  counts(most = Number.MAX_SAFE_INTEGER): Facet[] {
    const counts: Facet[] = [];
    let left = most;
    for (const { number, entries, ...facet } of this.known) {
      const n =
        this.query.currency === undefined ? Math.min(entries, left) : (this.priced('COUNT(*)', number, left)[0] ?? 0);
      if (n > 0) counts.push({ ...facet, n });
      left -= n;
      if (left === 0) break;
    }
    return counts;
  }

  /** Places of hits between bounds of amounts: at most `most`, in no order. */
  places(most: number): number[] {
    const places: number[] = [];
    for (const number of this.numbers) {
      places.push(...this.priced('seq', number, most - places.length));
      if (places.length === most) break;
    }
    return places;
  }

  private priced(what: 'COUNT(*)' | 'seq', facet: number, most: number): number[] {
    const amounts = amountConditions(this.query);
    const conditions = ['facet = ?', ...amounts.map(([condition]) => condition)].join(' AND ');
    const sql = `SELECT ${what} FROM (SELECT seq FROM entry INDEXED BY entry_facet WHERE ${conditions} LIMIT ?)`;
    return this.file.values(sql, facet, ...amounts.map(([, value]) => value), most);
  }
}

/** How often each of the values is there. @param counts to which they are added */
export function countEach<T>(values: readonly T[], counts = new Map<T, number>()): Map<T, number> {
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** @returns undefined where there are too many */
function chosenOf(file: SearchFile, facets: ChosenFacets): KnownFacet[] | undefined {
  // OCTET_LENGTH reads no text.
  const sizes = `SELECT COUNT(*) AS count, SUM(OCTET_LENGTH(regions)) AS bytes FROM (SELECT regions FROM facet LIMIT ${MOST_KNOWN + 1})`;
  const [size] = file.rows<{ count: number; bytes: number | null }>(sizes);
  if (size === undefined || size.count > MOST_KNOWN || (size.bytes ?? 0) > MOST_BYTES) return undefined;
  const known = file.rows<KnownFacet>('SELECT number, status, type, regions, entries FROM facet');
  return known.filter((facet) => isChosen(facets, facet));
}

function isChosen({ status, assetType, region }: ChosenFacets, facet: KnownFacet): boolean {
  const isAny = (chosen: readonly string[], value: string): boolean => chosen.length === 0 || chosen.includes(value);
  if (!isAny(status, facet.status) || !isAny(assetType, facet.type)) return false;
  return region.length === 0 || (JSON.parse(facet.regions) as string[]).some((key) => region.includes(key));
}
