/*
 * How text becomes what the index compares: the same for what is kept and for what is asked. Everything that decides about letters is done
 * here, none of it by SQLite, whose own tokenizers know neither the apostrophe of Ukrainian nor how a code is written.
 */

/** Shorter words are matched whole: their beginnings would match nearly everything. */
const SHORTEST_BEGINNING = 3;
/** Of longer words only so much is compared: no two words that people tell apart begin alike for that long. */
const LONGEST_BEGINNING = 20;

/** Typed in five ways, for one sign that belongs to the word: обʼєкт. */
const APOSTROPHES = "'’ʼ‘`´′";
const APOSTROPHE_IN_WORD = new RegExp(`(?<=\\p{L})[${APOSTROPHES}](?=\\p{L})`, 'gu');
const APOSTROPHE = new RegExp(`[${APOSTROPHES}]`, 'gu');
/** Stress marks, soft hyphens and other signs without a width. The marks of Й and Ї are no part of it: NFKC has made them one with their letter. */
const SILENT = /[\u0300\u0301\p{Cf}]/gu;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/** The same for texts that a reader takes for the same: case, the apostrophe, stress and compatible characters do not count. */
export function fold(text: string): string {
  const composed = text.normalize('NFKC').toLowerCase().normalize('NFC').replaceAll(SILENT, '');
  return composed.replaceAll(APOSTROPHE_IN_WORD, '').replaceAll(APOSTROPHE, ' ');
}

/** @param folded see fold */
export function wordsIn(folded: string): string[] {
  return folded.match(WORD) ?? [];
}

/** What stands between spaces. @param folded see fold */
export function piecesIn(folded: string): string[] {
  return folded.split(/\s+/u).filter((piece) => piece !== '');
}

/** Letters and digits alone, so that it does not matter how a code or the name of a region is spaced and hyphenated. @param folded see fold */
export function keyOf(folded: string): string {
  return wordsIn(folded).join('');
}

/** What a kept word is found by. */
export function beginningsOf(word: string): string[] {
  const letters = Array.from(word).slice(0, LONGEST_BEGINNING);
  if (letters.length < SHORTEST_BEGINNING) return [word];
  return letters.map((_, i) => letters.slice(0, i + 1).join('')).slice(SHORTEST_BEGINNING - 1);
}

/** What of an asked word is compared. */
export function beginningOf(word: string): string {
  return Array.from(word).slice(0, LONGEST_BEGINNING).join('');
}
