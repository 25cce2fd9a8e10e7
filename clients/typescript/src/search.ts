import type { Asset } from './asset-types.js';
import type { Reply } from './connection.js';
import type { Entry } from './page.js';
import { checkLeadsOn, objectIn } from './read-answer.js';

/** The most entries that the registry puts on a page. */
const MAX_ENTRIES = 1_000;
/** Of an amount that the registry takes as a bound. */
const MAX_DECIMALS = 30;

export type SearchOrder = '-dateModified' | 'dateModified' | 'value' | '-value';

export type FacetName = 'status' | 'assetType' | 'region';

/** What is looked for: all that is given must hold, and of a list any of its members. An empty list, as an empty text, asks for nothing. */
export interface SearchFilter {
  /** Words by their beginnings, ids, codes: all must be found. */
  q?: string;
  status?: readonly Asset['status'][];
  assetType?: readonly Asset['assetType'][];
  /** One of Ukraine's in any spelling, Ukrainian or English; never the city for the oblast of the same name. */
  region?: readonly string[];
  /** Codes of custodians, exactly. */
  custodian?: readonly string[];
  /** The scheme, and how the code begins: `CPV`, `CPV:34`; or the code alone: `34`. */
  classification?: string;
  relatedLot?: string;
  /** The name of the broker. */
  owner?: string;
  /** The currency of the value; amounts need it. */
  currency?: string;
  /** Plain decimals, both included; a text where a number would not be exact. */
  valueFrom?: number | string;
  valueTo?: number | string;
  /** Changed last at this instant or later, and before that one; written as `offset` of the feed. */
  modifiedFrom?: string;
  modifiedTo?: string;
}

/** What a feed may be filtered by: its times are those of the feed. */
export type FeedFilter = Omit<SearchFilter, 'modifiedFrom' | 'modifiedTo'>;

/** What is looked for, and what is told of each hit. */
export interface SearchOptions extends SearchFilter {
  /** The newest first unless given; by value needs `currency`. */
  sort?: SearchOrder;
  /** Top-level fields that each entry has beside `id` and `dateModified`, or `*` for whole assets. */
  fields?: readonly string[] | '*';
  /** Entries of a page: 1 to 1000; `search` asks for 1000, and `searchPage` leaves it to the registry (100), unless given. */
  limit?: number;
}

export interface SearchPageOptions extends SearchOptions {
  /** `nextOffset` of the page before. */
  offset?: string;
  /** What is to be counted among the hits. */
  facets?: readonly FacetName[];
}

/** One page of what was found. */
export class SearchPage<Hit extends Entry = Entry> {
  readonly entries: readonly Hit[];
  /** Where to go on: what was sent, on an empty page, which alone is the end. */
  readonly nextOffset: string;
  /** How many there are on all pages; 10000 of more. */
  readonly total: number;
  readonly isTotalExact: boolean;
  /** The newest change that the search knows; all before it was looked at. */
  readonly indexedUpTo: string;
  /** By the value, how many hits have it; only of what was to be counted. */
  readonly facets: Readonly<Partial<Record<FacetName, Readonly<Record<string, number>>>>>;

  constructor({ text }: Reply) {
    const told = objectIn(text) as unknown as SearchAnswer<Hit>;
    this.entries = told.data;
    this.nextOffset = told.next_page.offset;
    this.total = told.total;
    this.isTotalExact = told.total_is_exact;
    this.indexedUpTo = told.indexed_up_to;
    this.facets = told.facets ?? {};
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

/** The query of a page. Whatever is no option is refused by the registry, by its name. */
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

/** The registry takes plain decimals, and no exponent as the text of a very small or large number has. */
function printed(value: unknown): string {
  const text = String(value);
  if (typeof value !== 'number' || !text.includes('e')) return text;
  return value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: MAX_DECIMALS });
}

/** Everything that is found, page by page. @param read one page */
export async function* followSearch<Options extends SearchOptions>(
  read: (options: Options & { limit: number; offset: string }) => Promise<SearchPage>,
  options: Options,
): AsyncGenerator<Entry, void, undefined> {
  const { limit = MAX_ENTRIES } = options;
  for (let offset = ''; ;) {
    const page = await read({ ...options, limit, offset });
    if (page.entries.length === 0) return;
    checkLeadsOn(offset, page.nextOffset);
    yield* page.entries;
    offset = page.nextOffset;
  }
}
