import type { Direction } from './index-query.js';

/**
 * The full-text index is kept in parts of so many places each, and read part by part from the newest on. What a statement costs in the worst
 * case, two frequent words that never meet, is bounded by the size of a part, however many assets there are.
 */
export const PLACES = 65_536;

export function partOf(seq: number): number {
  return Math.floor(seq / PLACES);
}

/** Name of a part's full-text table. */
export function tableOf(part: number): string {
  return `words_${part}`;
}

/** Both of them inside. */
export interface Places {
  first: number;
  last: number;
}

/** Places of one part; of these, where few are hits. */
export interface Piece extends Places {
  part: number;
  hits?: readonly number[];
}

/** A hit of which the asset is not known yet. */
export interface PricedPlace {
  seq: number;
  modifiedUs: number;
  amount: number;
}

/** What lies behind a place. */
export function restOf(piece: Piece, seq: number, direction: Direction): Piece | undefined {
  const rest = direction === 'DESC' ? { ...piece, last: seq - 1 } : { ...piece, first: seq + 1 };
  return rest.first <= rest.last ? rest : undefined;
}
