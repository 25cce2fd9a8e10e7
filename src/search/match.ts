import { ASSET_NUMBER_DIGITS } from '../feed/asset-identifiers.js';
import { homoglyphsOf } from './homoglyphs.js';
import { codeToken, wordToken } from './tokens.js';
import { joinedWord, comparedPrefix, fold, alphanumericOf, piecesIn, wordsIn } from './words.js';
import { stemsOf } from './stemmer.js';

/** The most words of all pieces together: each costs the reading of a list, and nobody types more to find something. */
const MAX_WORDS = 12;

/** Words that join others: people type them, and assets seldom have them where they would. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  'у в з і й о до на по за та зі із об of in at on to a an the and'.split(' '),
);
/** And what kind of place a name is of: assets seldom have it in that form. */
const STOP_AND_PLACE_WORDS: ReadonlySet<string> = new Set([
  ...STOP_WORDS,
  ...'м місто міста місті с село села селі смт обл область області'.split(' '),
  ...'вул вулиця вулиці пров провулок просп проспект бульв бульвар'.split(' '),
]);
/** People leave no space behind it: `м.Київ`. */
const PLACE_ABBREVIATION = /(?<!\S)(?:м|с|смт|вул|пров|просп|бульв)\.(?=\p{L})/gu;
/** People read out a number plate in three parts, and assets have it in one. */
const PLATE = /(?<!\S)(\p{L}{2})\s+(\d{4})\s+(\p{L}{2})(?!\S)/gu;
const DIGIT = /\p{N}/u;
const LETTER = /\p{L}/u;
/** An assetID or its last digits, as words joined by hyphens: people leave out the zeros before a number. */
const ASSET_NUMBER = /^((?:.+-)?\d{4}-\d{2}-\d{2}-)?0*(\d+)$/u;

interface Match {
  /** A query in the language of FTS5; undefined: everything matches. */
  match: string | undefined;
  /** Whether nothing can match, for example a text of punctuation only. */
  matchesNothing: boolean;
}

/**
 * What FTS5 is asked for what was typed. Each piece of the text is a code, or the beginnings of words, and all must match. Terms hold letters,
 * digits and colons only and stand in quotes, so a client cannot reach the query language of FTS5.
 */
export function matchText(text: string): Match {
  const pieces: string[] = [];
  let remaining = MAX_WORDS;
  const typed = fold(text).replaceAll(PLACE_ABBREVIATION, '$& ').replaceAll(PLATE, joinPlate);
  for (const piece of new Set(withoutStopWords(piecesIn(typed)))) {
    const words = wordsIn(piece).slice(0, remaining);
    if (words.length > 0) pieces.push(matchPiece(piece, words.length));
    remaining -= words.length;
  }
  return {
    match: pieces.length === 0 ? undefined : pieces.join(' AND '),
    matchesNothing: text.trim() !== '' && pieces.length === 0,
  };
}

/** No plate is what stands in a sentence: `за 2020 та 2021`. */
function joinPlate(typed: string, ...[before = '', number = '', behind = '']: string[]): string {
  return STOP_WORDS.has(before) && STOP_WORDS.has(behind) ? typed : `${before}-${number}-${behind}`;
}

/** Where nothing else was typed, kinds of places are looked for; and where there are none either, words that join. */
function withoutStopWords(pieces: readonly string[]): readonly string[] {
  for (const stopWords of [STOP_AND_PLACE_WORDS, STOP_WORDS]) {
    const others = pieces.filter((piece) => !wordsIn(piece).every((word) => stopWords.has(word)));
    if (others.length > 0) return others;
  }
  return pieces;
}

/** @param most words of it that are looked for */
function matchPiece(piece: string, max: number): string {
  const alternatives = homoglyphsOf(piece).flatMap((one) => alternativesOf(one, wordsIn(one).slice(0, max)));
  return `(${[...new Set(alternatives)].join(' OR ')})`;
}

/** A code, the one word that it may be written as, or its words. */
function alternativesOf(piece: string, words: readonly string[]): string[] {
  const oneWord = joinedWord(piece);
  const alternatives = codeSpellings(piece).map((key) => quote(codeToken(key)));
  if (oneWord !== undefined) alternatives.push(matchWord(oneWord));
  if (oneWord === undefined || (words.length > 1 && !isShortCode(words)))
    alternatives.push(`(${words.map((word) => matchWord(word)).join(' AND ')})`);
  return alternatives;
}

/** Of `К-700` a letter and a number would find far more than what has them side by side. */
function isShortCode(words: readonly string[]): boolean {
  const isShort = words.some((word) => comparedPrefix(word).length === 1);
  return isShort && words.some((word) => DIGIT.test(word)) && words.some((word) => LETTER.test(word));
}

/** The code as it was typed; and where it ends as an assetID does, with the zeros of its number. */
function codeSpellings(piece: string): string[] {
  const [, day = '', number] = ASSET_NUMBER.exec(wordsIn(piece).join('-')) ?? [];
  const typed = alphanumericOf(piece);
  return number === undefined
    ? [typed]
    : [...new Set([typed, alphanumericOf(day + number.padStart(ASSET_NUMBER_DIGITS, '0'))])];
}

function matchWord(word: string): string {
  const stems = stemsOf(word).map((stem) => quote(wordToken(comparedPrefix(stem))));
  return stems.length === 1 ? (stems[0] as string) : `(${[...new Set(stems)].join(' OR ')})`;
}

function quote(token: string): string {
  return `"${token}"`;
}
