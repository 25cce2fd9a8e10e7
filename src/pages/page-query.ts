import type { Cursor } from '../database/search/index-query.js';
import type { Parameter } from '../http/request-target.js';
import type { SearchQuery } from '../search/search-query.js';

/** A filter with its value, or `sort`: as the search takes them. */
export type Condition = Pick<Parameter, 'name' | 'value'>;

/** What is asked of the first page. */
export interface PageQuery {
  /** What the page shows, as its links say it: the states that are available now are one condition. */
  conditions: readonly Condition[];
  query: SearchQuery;
  /** What was typed in Latin letters, where the query has its Ukrainian spelling. */
  typed?: string;
  isByValue: boolean;
  isDescending: boolean;
  /** Nothing was chosen: what is available now is shown. */
  isPreset: boolean;
  /** What is available now is shown, and nothing else: it was chosen, or nothing was. */
  isAvailable: boolean;
  /** Whether something was chosen, and not everything. */
  isSearch: boolean;
  /** Where to go on from; with `isBack` towards the first page. */
  after: Cursor | undefined;
  isBack: boolean;
}

/** What the Atom feed has; without a query the newest changes of all. */
export interface FeedQuery {
  conditions: readonly Condition[];
  query: SearchQuery | undefined;
  /** Only changes before this one. */
  after: Cursor | undefined;
}

/** Words of the form for states. No state has a hyphen in its name. */
export const AVAILABLE_NOW = 'available-now';
export const ANY_STATE = 'any-state';

export function isAvailableNow({ name, value }: Condition): boolean {
  return name === 'status' && value === AVAILABLE_NOW;
}

/** What people type is looked at so far. */
export const LONGEST = 200;
