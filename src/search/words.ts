import { inOneAlphabet, isMixed } from './homoglyphs.js';

/*
 * Tokenizer of the search, for assets and queries alike. It replaces SQLite's, which handle neither the Ukrainian apostrophe nor codes.
 */

/** Compared characters of a word. */
const MAX_WORD_LENGTH = 12;
/** Compared characters of a word with digits; more, because vehicle and cadastral numbers share long prefixes. */
const MAX_CODE_LENGTH = 20;
/** Letters and digits up to this length are joined across a space: `КАМАЗ 5320`, `АА 1234 ВС`. */
const MAX_JOINED_LENGTH = 5;
/** Numbers are joined only behind eight digits, as in a cadastral number: `12/5` is not 125. */
const JOINED_DIGITS = /\p{N}{8}$/u;

/** Compared part of names, codes and typed text, in UTF-16 units. */
export const MAX_CHARACTERS = 200;

const MAX_BMP_CODE_POINT = 0xffff;

/** Variants of the apostrophe, which is part of Ukrainian words: обʼєкт. */
const APOSTROPHE = /['’ʼ‘`′]/u;
const APOSTROPHES = new RegExp(APOSTROPHE, 'gu');
const APOSTROPHES_IN_WORDS = new RegExp(`(?<=\\p{L})${APOSTROPHE.source}{1,2}(?=\\p{L})`, 'gu');
/** Stress marks, soft hyphens and zero-width characters. NFKC has composed Й and Ї before, so their marks stay. */
const INVISIBLE = /[\u0300\u0301\p{Cf}\p{DI}]/gu;
/** Removed before NFKC, which turns it into the letters `No` and so joins it with the number. */
const NUMBER_SIGN = '№';
/** Another apostrophe; NFKC turns it into a space and a stress mark. */
const ACUTE = '´';
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Letters alone or digits alone: `6АКЛ` has two parts. */
const PART = /[\p{L}\p{M}]+|\p{N}[\p{N}\p{M}]*/gu;
const DIGIT = /\p{N}/u;
const SPACE = /\s/u;
const STARTS_WITH_TWO_DIGITS = /^\p{N}(?=\p{N})/u;

/**
 * Normalizes case, apostrophes, stress marks, compatibility characters, Ґ, and words of mixed alphabets, so that texts that look the same become
 * equal.
 * @param max UTF-16 units, before and after NFKC, which expands some characters to 18 and takes quadratic time for unordered marks
 */
export function fold(text: string, max = MAX_CHARACTERS): string {
  const typed = text.slice(0, max).replaceAll(NUMBER_SIGN, ' ').replaceAll(ACUTE, "'");
  const compatible = typed.normalize('NFKC').slice(0, max);
  const composed = compatible.toLowerCase().normalize('NFC').replaceAll(INVISIBLE, '').replaceAll('ґ', 'г');
  const joined = APOSTROPHE.test(composed)
    ? composed.replaceAll(APOSTROPHES_IN_WORDS, '').replaceAll(APOSTROPHES, ' ')
    : composed;
  return isMixed(joined) ? joined.replaceAll(WORD, inOneAlphabet) : joined;
}

/** @param folded see fold */
export function wordsIn(folded: string): string[] {
  return folded.match(WORD) ?? [];
}

/** Splits at spaces. @param folded see fold */
export function piecesIn(folded: string): string[] {
  return folded.split(/\s+/u).filter((piece) => piece !== '');
}

/** Removes everything but letters and digits. @param folded see fold */
export function alphanumericOf(folded: string): string {
  return wordsIn(folded).join('');
}

/**
 * Returns for each part of a text the part joined with those that follow it in the same piece: `ВАЗ-21099`, `АГРО-СВІТ`, `Кам"янець`. A short
 * name and a short number are joined across a space too: `ВАЗ 21099`.
 * @param folded see fold
 */
export function runsIn(folded: string): string[] {
  const parts = [...folded.matchAll(PART)];
  return parts.map((_, i) => runFrom(folded, parts.slice(i, i + MAX_CODE_LENGTH)));
}

function runFrom(folded: string, [first, ...others]: readonly RegExpExecArray[]): string {
  let [run, before] = [first?.[0] ?? '', first];
  for (const part of others) {
    if (run.length >= MAX_CODE_LENGTH || before === undefined || !isJoined(folded, before, part, run)) break;
    run += part[0];
    before = part;
  }
  return run;
}

/** @param run everything before `other` */
function isJoined(folded: string, one: RegExpExecArray, other: RegExpExecArray, run: string): boolean {
  const between = folded.slice(one.index + one[0].length, other.index);
  const [isNumber, isNumberToo] = [DIGIT.test(one[0]), DIGIT.test(other[0])];
  const hasSpace = SPACE.test(between);
  if (isNumber !== isNumberToo) return !hasSpace || (between.trim() === '' && areShort(one[0], other[0]));
  return !hasSpace && (!isNumber || JOINED_DIGITS.test(run));
}

function areShort(...parts: string[]): boolean {
  return parts.every((part) => part.length <= MAX_JOINED_LENGTH);
}

/** @param folded see fold @returns undefined if the parts of the piece are not joined */
export function joinedWord(folded: string): string | undefined {
  const [run = ''] = runsIn(folded);
  return run !== '' && (run.length >= MAX_CODE_LENGTH || run === alphanumericOf(folded)) ? run : undefined;
}

/** The prefixes by which an indexed run is found. One digit is not a prefix of a longer number: `5` does not find 50. */
export function prefixesOf(run: string): string[] {
  const prefixes = characterEnds(run).map((end) => run.slice(0, end));
  const found = prefixes.filter((prefix, i) => i < MAX_WORD_LENGTH || DIGIT.test(prefix));
  return STARTS_WITH_TWO_DIGITS.test(run) ? found.slice(1) : found;
}

/** The compared part of a typed word. */
export function comparedPrefix(word: string): string {
  const ends = characterEnds(word);
  const longest = word.slice(0, ends.at(-1));
  return DIGIT.test(longest) ? longest : word.slice(0, ends[MAX_WORD_LENGTH - 1]);
}

/** End of each of the first characters in UTF-16 units. */
function characterEnds(word: string): number[] {
  const ends: number[] = [];
  for (let end = 0; end < word.length && ends.length < MAX_CODE_LENGTH;) {
    end += (word.codePointAt(end) as number) > MAX_BMP_CODE_POINT ? 2 : 1;
    ends.push(end);
  }
  return ends;
}
