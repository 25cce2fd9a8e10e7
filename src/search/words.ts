/*
 * Turns text into what the index compares: in the same way for assets and for queries. All of it is done here and none by SQLite, whose
 * tokenizers know neither the Ukrainian apostrophe nor how a code is written.
 */

/** A single letter or digit is matched as a whole word: as a beginning it would match nearly everything. */
const SHORTEST_BEGINNING = 2;
/** Only so many characters of a longer word are compared. Words that people tell apart differ sooner. */
const LONGEST_BEGINNING = 20;

/** How much of names, codes and typed text is looked at, in UTF-16 units. What is beyond is not found. */
export const MOST_CHARACTERS = 200;

const LAST_OF_ONE_UNIT = 0xffff;

/** The ways to type the apostrophe, which is part of a Ukrainian word: обʼєкт. */
const APOSTROPHE = /['’ʼ‘`′]/u;
const APOSTROPHES = new RegExp(APOSTROPHE, 'gu');
const APOSTROPHES_IN_WORDS = new RegExp(`(?<=\\p{L})${APOSTROPHE.source}(?=\\p{L})`, 'gu');
/** Stress marks, soft hyphens and other signs without width. The marks of Й and Ї are safe: NFKC has joined them with their letters. */
const SILENT = /[\u0300\u0301\p{Cf}]/gu;
/** NFKC makes it the letters `No`, and they would join the number behind it to one word. */
const NUMBER_SIGN = '№';
/** One more way to type the apostrophe, which NFKC makes a space and a stress mark. */
const ACUTE = '´';
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/**
 * Folds text, so that texts that a reader takes for the same become equal: case, the kind of apostrophe, stress marks and compatible
 * characters do not count.
 * @param most UTF-16 units that are looked at, before and after folding: NFKC turns some characters into 18, and takes quadratic time for
 * unordered marks
 */
export function fold(text: string, most = MOST_CHARACTERS): string {
  const typed = text.slice(0, most).replaceAll(NUMBER_SIGN, ' ').replaceAll(ACUTE, "'");
  const compatible = typed.normalize('NFKC').slice(0, most);
  const composed = compatible.toLowerCase().normalize('NFC').replaceAll(SILENT, '');
  if (!APOSTROPHE.test(composed)) return composed;
  return composed.replaceAll(APOSTROPHES_IN_WORDS, '').replaceAll(APOSTROPHES, ' ');
}

/** @param folded see fold */
export function wordsIn(folded: string): string[] {
  return folded.match(WORD) ?? [];
}

/** The pieces between spaces. @param folded see fold */
export function piecesIn(folded: string): string[] {
  return folded.split(/\s+/u).filter((piece) => piece !== '');
}

/** The letters and digits alone: spaces and hyphens in a code or the name of a region do not matter. @param folded see fold */
export function keyOf(folded: string): string {
  return wordsIn(folded).join('');
}

/** The beginnings by which an indexed word is found, the longest last. */
export function beginningsOf(word: string): string[] {
  const ends = endsOf(word);
  return ends.length < SHORTEST_BEGINNING
    ? [word]
    : ends.slice(SHORTEST_BEGINNING - 1).map((end) => word.slice(0, end));
}

/** The part of a typed word that is compared. */
export function beginningOf(word: string): string {
  return word.slice(0, endsOf(word).at(-1));
}

/** Where each of the first characters ends, in UTF-16 units; characters beyond the basic plane take two. */
function endsOf(word: string): number[] {
  const ends: number[] = [];
  for (let end = 0; end < word.length && ends.length < LONGEST_BEGINNING;) {
    end += (word.codePointAt(end) as number) > LAST_OF_ONE_UNIT ? 2 : 1;
    ends.push(end);
  }
  return ends;
}
