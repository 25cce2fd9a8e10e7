/** A bound of amounts. Where it is no amount that an asset can have, the bound itself may lie outside. */
export interface AmountBound {
  amount: number;
  isInside: boolean;
}

/** States, types and regions (their keys) that a hit may have: of each kind any of those that are given; all, where none is given. */
export interface ChosenFacets {
  status: readonly string[];
  assetType: readonly string[];
  region: readonly string[];
}

/** What is looked for. Instants are microseconds; both bounds of them are outside. */
export interface IndexQuery {
  /** What was typed, in the language of FTS5; undefined: nothing. */
  words: string | undefined;
  /** What was chosen: of each list one term must match. A currency is among it where its amounts have no bounds. */
  choices: readonly (readonly string[])[];
  /** The states, types and regions among it, by their names, where nothing else is asked for. */
  facets: ChosenFacets | undefined;
  /** What has an amount in a currency; without bounds: any. */
  amounts: { currency: string; from?: AmountBound | undefined; to?: AmountBound | undefined } | undefined;
  afterUs: number;
  beforeUs: number;
}

/** The last entry of the page before; `amount` where the order is by amounts. */
export interface Cursor {
  us: number;
  amount: number | undefined;
}

/** Which of what is found, in which order. */
export interface IndexPageQuery {
  /** Whether hits are ordered by the amounts that are asked for; else, and where amounts are equal, by the order of the feed. */
  isByValue: boolean;
  /** Whether the newest come first, or the largest. */
  isDescending: boolean;
  after: Cursor | undefined;
  limit: number;
  withFacets: boolean;
}

/** Words and choices together as FTS5 is asked; undefined: everything matches. */
export function matchOf({ words, choices }: IndexQuery): string | undefined {
  const groups = choices.map((terms) => `(${terms.map((term) => `"${term}"`).join(' OR ')})`);
  const all = words === undefined ? groups : [words, ...groups];
  return all.length === 0 ? undefined : all.join(' AND ');
}
