/**
 * The full-text index is kept in parts of so many places each, and read part by part from the newest on. What a statement costs in the worst
 * case, two frequent words that never meet, is bounded by the size of a part, however many assets there are.
 */
export const PLACES = 65_536;

export function partOf(seq: number): number {
  return Math.floor(seq / PLACES);
}

/** Of a part's full-text table. */
export function tableOf(part: number): string {
  return `words_${part}`;
}
