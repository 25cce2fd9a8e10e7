/*
 * How text becomes what the index compares: the same for what is kept and for what is asked. Everything that decides about letters is done
 * here, none of it by SQLite, whose own tokenizers know neither the apostrophe of Ukrainian nor how a code is written.
 */

/** Shorter words are matched whole: their beginnings would match nearly everything. */
const SHORTEST_BEGINNING = 3;
/** Of longer words only so much is compared: no two words that people tell apart begin alike for that long. */
const LONGEST_BEGINNING = 20;

/** Names, codes and what is typed are looked at so far; UTF-16 units. What is beyond is not found. */
export const MOST_CHARACTERS = 200;

const LAST_OF_ONE_UNIT = 0xffff;

/** Typed in several ways, for one sign that belongs to the word: обʼєкт. */
const APOSTROPHE = /['’ʼ‘`´′]/u;
const APOSTROPHES = new RegExp(APOSTROPHE, 'gu');
const APOSTROPHES_IN_WORDS = new RegExp(`(?<=\\p{L})${APOSTROPHE.source}(?=\\p{L})`, 'gu');
/** Stress marks, soft hyphens and other signs without a width. The marks of Й and Ї are no part of it: NFKC has made them one with their letter. */
const SILENT = /[\u0300\u0301\p{Cf}]/gu;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/**
 * The same for texts that a reader takes for the same: case, the apostrophe, stress and compatible characters do not count.
 * @param most UTF-16 units that are looked at, before and after: NFKC makes 18 of some, and takes the square of the time for marks in disorder
 */
export function fold(text: string, most = MOST_CHARACTERS): string {
  const compatible = text.slice(0, most).normalize('NFKC').slice(0, most);
  const composed = compatible.toLowerCase().normalize('NFC').replaceAll(SILENT, '');
  if (!APOSTROPHE.test(composed)) return composed;
  return composed.replaceAll(APOSTROPHES_IN_WORDS, '').replaceAll(APOSTROPHES, ' ');
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

/** What a kept word is found by, the longest last. */
export function beginningsOf(word: string): string[] {
  const ends = endsOf(word);
  return ends.length < SHORTEST_BEGINNING
    ? [word]
    : ends.slice(SHORTEST_BEGINNING - 1).map((end) => word.slice(0, end));
}

/** What of an asked word is compared. */
export function beginningOf(word: string): string {
  return word.slice(0, endsOf(word).at(-1));
}

/** Where its first characters end; those beyond the first planes are two units of the text long. */
function endsOf(word: string): number[] {
  const ends: number[] = [];
  for (let end = 0; end < word.length && ends.length < LONGEST_BEGINNING;) {
    end += (word.codePointAt(end) as number) > LAST_OF_ONE_UNIT ? 2 : 1;
    ends.push(end);
  }
  return ends;
}
