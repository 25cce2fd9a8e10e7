import { inOneAlphabet, isMixed } from './homoglyphs.js';

/*
 * Turns text into what the index compares: in the same way for assets and for queries. All of it is done here and none by SQLite, whose
 * tokenizers know neither the Ukrainian apostrophe nor how a code is written.
 */

/** How many characters of a word are compared: words that people tell apart differ sooner. */
const MAX_WORD_LENGTH = 12;
/** And of what has digits: vehicle identification numbers and cadastral numbers begin alike. */
const MAX_CODE_LENGTH = 20;
/** Letters and digits are joined over a space where neither are more: `КАМАЗ 5320`, `АА 1234 ВС`. */
const MAX_JOINED_LENGTH = 5;
/** Numbers are joined behind so many digits, as those of a cadastral number: `12/5` is not 125. */
const JOINED_DIGITS = /\p{N}{8}$/u;

/** How much of names, codes and typed text is looked at, in UTF-16 units. What is beyond is not found. */
export const MAX_CHARACTERS = 200;

const MAX_BMP_CODE_POINT = 0xffff;

/** The ways to type the apostrophe, which is part of a Ukrainian word: обʼєкт. */
const APOSTROPHE = /['’ʼ‘`′]/u;
const APOSTROPHES = new RegExp(APOSTROPHE, 'gu');
const APOSTROPHES_IN_WORDS = new RegExp(`(?<=\\p{L})${APOSTROPHE.source}{1,2}(?=\\p{L})`, 'gu');
/** Stress marks, soft hyphens and other signs without width. The marks of Й and Ї are safe: NFKC has joined them with their letters. */
const INVISIBLE = /[\u0300\u0301\p{Cf}\p{DI}]/gu;
/** NFKC makes it the letters `No`, and they would join the number behind it to one word. */
const NUMBER_SIGN = '№';
/** One more way to type the apostrophe, which NFKC makes a space and a stress mark. */
const ACUTE = '´';
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/** Letters alone or digits alone: `6АКЛ` has two parts. */
const PART = /[\p{L}\p{M}]+|\p{N}[\p{N}\p{M}]*/gu;
const DIGIT = /\p{N}/u;
const SPACE = /\s/u;
/** The first digit of a longer number. */
const STARTS_WITH_TWO_DIGITS = /^\p{N}(?=\p{N})/u;

/**
 * Folds text, so that texts that a reader takes for the same become equal: case, the kind of apostrophe, stress marks, compatible characters
 * and the hook of Ґ do not count, and a word in two alphabets is written in one.
 * @param most UTF-16 units that are looked at, before and after folding: NFKC turns some characters into 18, and takes quadratic time for
 * unordered marks
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

/** The pieces between spaces. @param folded see fold */
export function piecesIn(folded: string): string[] {
  return folded.split(/\s+/u).filter((piece) => piece !== '');
}

/** The letters and digits alone: spaces and hyphens in a code or the name of a region do not matter. @param folded see fold */
export function alphanumericOf(folded: string): string {
  return wordsIn(folded).join('');
}

/**
 * Each part of a text with what follows it in the same piece, as people write it in one: `ВАЗ-21099`, `АГРО-СВІТ`, `Кам"янець`. A short
 * number follows a short name behind a space, too, and a name a number: `ВАЗ 21099`.
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

/** @param run all before the second part */
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

/** The one word that a piece may be written as: undefined where its parts stay apart. @param folded see fold */
export function joinedWord(folded: string): string | undefined {
  const [run = ''] = runsIn(folded);
  return run !== '' && (run.length >= MAX_CODE_LENGTH || run === alphanumericOf(folded)) ? run : undefined;
}

/** The beginnings by which a run of an indexed text is found. A single digit is a whole number: `5` does not find 50. */
export function prefixesOf(run: string): string[] {
  const prefixes = characterEnds(run).map((end) => run.slice(0, end));
  const found = prefixes.filter((prefix, i) => i < MAX_WORD_LENGTH || DIGIT.test(prefix));
  return STARTS_WITH_TWO_DIGITS.test(run) ? found.slice(1) : found;
}

/** The part of a typed word that is compared. */
export function comparedPrefix(word: string): string {
  const ends = characterEnds(word);
  const longest = word.slice(0, ends.at(-1));
  return DIGIT.test(longest) ? longest : word.slice(0, ends[MAX_WORD_LENGTH - 1]);
}

/** Where each of the first characters ends, in UTF-16 units; characters beyond the basic plane take two. */
function characterEnds(word: string): number[] {
  const ends: number[] = [];
  for (let end = 0; end < word.length && ends.length < MAX_CODE_LENGTH;) {
    end += (word.codePointAt(end) as number) > MAX_BMP_CODE_POINT ? 2 : 1;
    ends.push(end);
  }
  return ends;
}
