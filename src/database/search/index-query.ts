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
  /** What was chosen: of each list one term must match. */
  choices: readonly (readonly string[])[];
  /** The states, types and regions among it, by their names. */
  facets: ChosenFacets;
  /** Whether nothing but these, a currency and bounds of amounts and instants is asked for. */
  isByFacets: boolean;
  currency: string | undefined;
  /** The term of the currency, where its amounts have no bounds: nearly all entries may have it. */
  currencyTerm: string | undefined;
  from: AmountBound | undefined;
  to: AmountBound | undefined;
  afterUs: number;
  beforeUs: number;
}

/** The last entry of the page before; `amount` where the order is by amounts. */
export interface Cursor {
  us: number;
  amount: number | undefined;
}

/** Of places and of amounts: with DESC the newest come first, or the largest. */
export type Direction = 'ASC' | 'DESC';

/** Which of what is found, in which order. */
export interface IndexPageQuery {
  /** Whether hits are ordered by their amounts in the query's currency; else, and where amounts are equal, by the order of the feed. */
  isByAmount: boolean;
  direction: Direction;
  after: Cursor | undefined;
  limit: number;
}

/** Whether no instant is excluded. */
export function isAlways({ afterUs, beforeUs }: Pick<IndexQuery, 'afterUs' | 'beforeUs'>): boolean {
  return afterUs < 0 && beforeUs === Number.MAX_SAFE_INTEGER;
}

/** Amounts are bounded in one currency. */
export function isBounded({ currency, from, to }: IndexQuery): boolean {
  return currency !== undefined && (from !== undefined || to !== undefined);
}

/** All of them together as FTS5 is asked; undefined: everything matches. */
export function matchOf({
  words,
  choices,
  currencyTerm,
}: Pick<IndexQuery, 'words' | 'choices' | 'currencyTerm'>): string | undefined {
  const lists = currencyTerm === undefined ? choices : [...choices, [currencyTerm]];
  const groups = lists.map((terms) => `(${terms.map((term) => `"${term}"`).join(' OR ')})`);
  const all = words === undefined ? groups : [words, ...groups];
  return all.length === 0 ? undefined : all.join(' AND ');
}
