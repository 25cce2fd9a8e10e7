import type { Asset } from './asset-types.js';
import type { Reply } from './connection.js';
import type { Entry } from './page.js';
import { assertAdvances, objectIn } from './read-answer.js';

/** Maximum entries per page of the registry. */
const MAX_ENTRIES = 1_000;
/** Maximum decimals of an amount that the registry accepts as a bound. */
const MAX_DECIMALS = 30;

export type SearchOrder = '-dateModified' | 'dateModified' | 'value' | '-value';

export type FacetName = 'status' | 'assetType' | 'region';

/** Conditions of a search: all must hold, and of a list any value. An empty list or text is no condition. */
export interface SearchFilter {
  /** Prefixes of words, ids, codes: all must match. */
  q?: string;
  status?: readonly Asset['status'][];
  assetType?: readonly Asset['assetType'][];
  /** Ukrainian regions in any spelling, Ukrainian or English; a city never stands for the oblast of the same name. */
  region?: readonly string[];
  /** Exact codes of custodians. */
  custodian?: readonly string[];
  /** Scheme and prefix of the code: `CPV`, `CPV:34`; or the code's prefix alone: `34`. */
  classification?: string;
  relatedLot?: string;
  /** Name of the broker. */
  owner?: string;
  /** Currency of the value; required with amounts. */
  currency?: string;
  /** Inclusive bounds as plain decimals; use a text if a number would be inexact. */
  valueFrom?: number | string;
  valueTo?: number | string;
  /** Range of the last change, `modifiedTo` exclusive; in the format of the feed's `offset`. */
  modifiedFrom?: string;
  modifiedTo?: string;
}

/** Conditions for a filtered feed, whose times are those of the feed. */
export type FeedFilter = Omit<SearchFilter, 'modifiedFrom' | 'modifiedTo'>;

/** A search, and the fields of its hits. */
export interface SearchOptions extends SearchFilter {
  /** Default: newest first; by value needs `currency`. */
  sort?: SearchOrder;
  /** Top-level fields of each entry in addition to `id` and `dateModified`, or `*` for whole assets. */
  fields?: readonly string[] | '*';
  /** Entries per page: 1 to 1000; default 1000 in `search`, 100 in `searchPage`. */
  limit?: number;
}

export interface SearchPageOptions extends SearchOptions {
  /** `nextOffset` of the previous page. */
  offset?: string;
  /** Fields whose values are counted among the hits. */
  facets?: readonly FacetName[];
}

/** One page of hits. */
export class SearchPage<Hit extends Entry = Entry> {
  readonly entries: readonly Hit[];
  /** The offset of the next page; on an empty page, which alone is the end, the offset sent. */
  readonly nextOffset: string;
  /** Number of hits on all pages, at most 10000. */
  readonly total: number;
  readonly isTotalExact: boolean;
  /** The newest change in the index, which has all changes before it. */
  readonly indexedUpTo: string;
  /** Number of hits by value, for the requested facets. */
  readonly facets: Readonly<Partial<Record<FacetName, Readonly<Record<string, number>>>>>;

  constructor({ text }: Reply) {
    const answer = objectIn(text) as unknown as SearchAnswer<Hit>;
    this.entries = answer.data;
    this.nextOffset = answer.next_page.offset;
    this.total = answer.total;
    this.isTotalExact = answer.total_is_exact;
    this.indexedUpTo = answer.indexed_up_to;
    this.facets = answer.facets ?? {};
  }
}

interface SearchAnswer<Hit> {
  data: Hit[];
  next_page: { offset: string };
  total: number;
  total_is_exact: boolean;
  indexed_up_to: string;
  facets?: SearchPage['facets'];
}

/** The query of a page. Unknown options are sent too, so that the registry refuses them by name. */
export function searchQuery({ fields, facets, ...others }: SearchPageOptions): Record<string, string | string[]> {
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(
      given.map(([name, value]) => [name, Array.isArray(value) ? value.map(String) : printed(value)]),
    ),
    ...(fields !== undefined && { opt_fields: fields === '*' ? fields : fields.join(',') }),
    ...(facets !== undefined && { facets: facets.join(',') }),
  };
}

/** A plain decimal, because the registry does not accept the exponent of very small or large numbers. */
function printed(value: unknown): string {
  const text = String(value);
  if (typeof value !== 'number' || !text.includes('e')) return text;
  return value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: MAX_DECIMALS });
}

/** All hits, page by page. @param read reads one page */
export async function* followSearch<Options extends SearchOptions>(
  read: (options: Options & { limit: number; offset: string }) => Promise<SearchPage>,
  options: Options,
): AsyncGenerator<Entry, void, undefined> {
  const { limit = MAX_ENTRIES } = options;
  for (let offset = ''; ;) {
    const page = await read({ ...options, limit, offset });
    if (page.entries.length === 0) return;
    assertAdvances(offset, page.nextOffset);
    yield* page.entries;
    offset = page.nextOffset;
  }
}
