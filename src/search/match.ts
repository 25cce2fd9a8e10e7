import { ASSET_NUMBER_DIGITS } from '../feed/asset-identifiers.js';
import { homoglyphsOf } from './homoglyphs.js';
import { codeToken, wordToken } from './tokens.js';
import { joinedWord, comparedPrefix, fold, alphanumericOf, piecesIn, wordsIn } from './words.js';
import { stemsOf } from './stemmer.js';

/** Maximum words of a query; each costs reading a posting list. */
const MAX_WORDS = 12;

const STOP_WORDS: ReadonlySet<string> = new Set(
  'у в з і й о до на по за та зі із об of in at on to a an the and'.split(' '),
);
/** With words for kinds of places, which assets seldom spell in the same form. */
const STOP_AND_PLACE_WORDS: ReadonlySet<string> = new Set([
  ...STOP_WORDS,
  ...'м місто міста місті с село села селі смт обл область області'.split(' '),
  ...'вул вулиця вулиці пров провулок просп проспект бульв бульвар'.split(' '),
]);
/** An abbreviation without the space behind it: `м.Київ`. */
const PLACE_ABBREVIATION = /(?<!\S)(?:м|с|смт|вул|пров|просп|бульв)\.(?=\p{L})/gu;
/** A number plate typed in three parts; assets have it as one word. */
const PLATE = /(?<!\S)(\p{L}{2})\s+(\d{4})\s+(\p{L}{2})(?!\S)/gu;
const DIGIT = /\p{N}/u;
const LETTER = /\p{L}/u;
/** An assetID or its last digits, words joined by hyphens; leading zeros may be missing. */
const ASSET_NUMBER = /^((?:.+-)?\d{4}-\d{2}-\d{2}-)?0*(\d+)$/u;

interface Match {
  /** An FTS5 query; undefined if everything matches. */
  match: string | undefined;
  /** For example, a text of punctuation only. */
  matchesNothing: boolean;
}

/**
 * Translates a typed text into an FTS5 query. Each piece is a code or a sequence of word prefixes, and all pieces must match. Terms contain only
 * letters, digits and colons and are quoted, so a client cannot inject FTS5 syntax.
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

/** Leaves phrases such as `за 2020 та 2021` alone. */
function joinPlate(typed: string, ...[before = '', number = '', behind = '']: string[]): string {
  return STOP_WORDS.has(before) && STOP_WORDS.has(behind) ? typed : `${before}-${number}-${behind}`;
}

/** Keeps words for kinds of places if nothing else was typed, and stop words if there are no such words either. */
function withoutStopWords(pieces: readonly string[]): readonly string[] {
  for (const stopWords of [STOP_AND_PLACE_WORDS, STOP_WORDS]) {
    const others = pieces.filter((piece) => !wordsIn(piece).every((word) => stopWords.has(word)));
    if (others.length > 0) return others;
  }
  return pieces;
}

/** @param max words of the piece to use */
function matchPiece(piece: string, max: number): string {
  const alternatives = homoglyphsOf(piece).flatMap((one) => alternativesOf(one, wordsIn(one).slice(0, max)));
  return `(${[...new Set(alternatives)].join(' OR ')})`;
}

/** A piece may match as a code, as one joined word, or as its words. */
function alternativesOf(piece: string, words: readonly string[]): string[] {
  const oneWord = joinedWord(piece);
  const alternatives = codeSpellings(piece).map((key) => quote(codeToken(key)));
  if (oneWord !== undefined) alternatives.push(matchWord(oneWord));
  if (oneWord === undefined || (words.length > 1 && !isShortCode(words)))
    alternatives.push(`(${words.map((word) => matchWord(word)).join(' AND ')})`);
  return alternatives;
}

/** Codes like `К-700` must match as a whole: their single letters and numbers alone match far too much. */
function isShortCode(words: readonly string[]): boolean {
  const isShort = words.some((word) => comparedPrefix(word).length === 1);
  return isShort && words.some((word) => DIGIT.test(word)) && words.some((word) => LETTER.test(word));
}

/** The code as typed and, if it ends like an assetID, with its number zero-padded. */
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
