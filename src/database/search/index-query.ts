/** A bound of amounts; `isInside` if it is inclusive. */
export interface AmountBound {
  amount: number;
  isInside: boolean;
}

/** A hit has one of the given states, one of the types and one of the regions (keys); an empty list allows all. */
export interface ChosenFacets {
  status: readonly string[];
  assetType: readonly string[];
  region: readonly string[];
}

/** Instants are microseconds; both bounds are exclusive. */
export interface IndexQuery {
  /** The typed words as an FTS5 expression; undefined if there are none. */
  words: string | undefined;
  /** Chosen terms: one of each list must match. Includes a currency without bounds of amounts. */
  choices: readonly (readonly string[])[];
  /** The chosen states, types and regions, if the query has no other condition. */
  facets: ChosenFacets | undefined;
  /** Requires an amount in this currency, within the bounds if there are any. */
  amounts: { currency: string; from?: AmountBound | undefined; to?: AmountBound | undefined } | undefined;
  afterUs: number;
  beforeUs: number;
}

/** The last entry of the previous page; `amount` only if ordered by amount. */
export interface Cursor {
  us: number;
  amount: number | undefined;
}

export interface IndexPageQuery {
  /** Order by the query's amounts, then by the feed; otherwise by the feed only. */
  isByValue: boolean;
  /** The newest, or the largest, first. */
  isDescending: boolean;
  after: Cursor | undefined;
  limit: number;
  withFacets: boolean;
}

/** The FTS5 expression of words and choices; undefined if everything matches. */
export function matchOf({ words, choices }: IndexQuery): string | undefined {
  const groups = choices.map((terms) => `(${terms.map((term) => `"${term}"`).join(' OR ')})`);
  const all = words === undefined ? groups : [words, ...groups];
  return all.length === 0 ? undefined : all.join(' AND ');
}
