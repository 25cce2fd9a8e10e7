import type { Cursor } from '../database/search/index-query.js';
import type { Parameter } from '../http/request-target.js';
import type { SearchQuery } from '../search/search-query.js';

/** A filter of the search, or `sort`, with its value. */
export type Condition = Pick<Parameter, 'name' | 'value'>;

/** The parsed query of the first page. */
export interface PageQuery {
  /** The filters and the order; all states that are available now are one condition, `available-now`. */
  conditions: readonly Condition[];
  query: SearchQuery;
  /** The words in Latin letters, if the query has their Ukrainian spelling instead. */
  typed?: string;
  isByValue: boolean;
  isDescending: boolean;
  /** The query has no filter, so the page lists what is available now. */
  isPreset: boolean;
  /** The states are exactly those available now, chosen or preset. */
  isAvailable: boolean;
  /** Whether the query has a filter other than `any-state`. */
  isSearch: boolean;
  /** The page begins after this hit; with `isBack` it ends before it. */
  after: Cursor | undefined;
  isBack: boolean;
}

/** The parsed query of the Atom feed; `query` is undefined for the changes of all assets. */
export interface FeedQuery {
  conditions: readonly Condition[];
  query: SearchQuery | undefined;
  /** Only changes before this one. */
  after: Cursor | undefined;
}

/** Values of `status` on pages; no state has a hyphen in its name. */
export const AVAILABLE_NOW = 'available-now';
export const ANY_STATE = 'any-state';

export function isAvailableNow({ name, value }: Condition): boolean {
  return name === 'status' && value === AVAILABLE_NOW;
}

/** Maximum length of a value; the rest is cut off. */
export const MAX_VALUE_LENGTH = 200;
