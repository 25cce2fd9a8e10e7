import { lookAlikesOf } from './look-alikes.js';
import { codeToken, wordToken } from './tokens.js';
import { beginningOf, fold, keyOf, piecesIn, wordsIn } from './words.js';
import { stemsOf } from './word-forms.js';

/** The most words of all pieces together: each costs the reading of a list, and nobody types more to find something. */
const MOST_WORDS = 12;

/** Words that join others: people type them, and assets seldom have them where they would. */
const JOINING: ReadonlySet<string> = new Set(
  'у в з і й о до на по за та зі із об of in at on to a an the and'.split(' '),
);
/** And what kind of place a name is of: assets seldom have it in that form. */
const JOINING_OR_KIND: ReadonlySet<string> = new Set([
  ...JOINING,
  ...'м місто міста місті с село села селі смт обл область області'.split(' '),
  ...'вул вулиця вулиці пров провулок просп проспект бульв бульвар'.split(' '),
]);
/** People leave no space behind it: `м.Київ`. */
const KIND_OF_PLACE = /(?<!\S)(?:м|с|смт|вул|пров|просп|бульв)\.(?=\p{L})/gu;
/** People read out a number plate in three parts, and assets have it in one. */
const PLATE = /(?<!\S)(\p{L}{2})\s+(\d{4})\s+(\p{L}{2})(?!\S)/gu;
/** Most parts of a code that may be written as one word: `12-А`, `УАЗ-469`. AssetIDs have more. */
const MOST_PARTS = 3;

interface Match {
  /** A query in the language of FTS5; undefined: everything matches. */
  match: string | undefined;
  /** Whether nothing can match, for example a text of punctuation only. */
  isHopeless: boolean;
}

/**
 * What FTS5 is asked for what was typed. Each piece of the text is a code, or the beginnings of words, and all must match. Terms hold letters,
 * digits and colons only and stand in quotes, so a client cannot reach the query language of FTS5.
 */
export function matchText(text: string): Match {
  const pieces: string[] = [];
  let left = MOST_WORDS;
  const typed = fold(text).replaceAll(KIND_OF_PLACE, '$& ').replaceAll(PLATE, asOnePiece);
  for (const piece of new Set(withoutPassedOver(piecesIn(typed)))) {
    const words = wordsIn(piece).slice(0, left);
    if (words.length > 0) pieces.push(matchPiece(piece, words.length));
    left -= words.length;
  }
  return {
    match: pieces.length === 0 ? undefined : pieces.join(' AND '),
    isHopeless: text.trim() !== '' && pieces.length === 0,
  };
}

/** No plate is what stands in a sentence: `за 2020 та 2021`. */
function asOnePiece(typed: string, ...[before = '', number = '', behind = '']: string[]): string {
  return JOINING.has(before) && JOINING.has(behind) ? typed : `${before}-${number}-${behind}`;
}

/** Where nothing else was typed, kinds of places are looked for; and where there are none either, words that join. */
function withoutPassedOver(pieces: readonly string[]): readonly string[] {
  for (const passedOver of [JOINING_OR_KIND, JOINING]) {
    const others = pieces.filter((piece) => !wordsIn(piece).every((word) => passedOver.has(word)));
    if (others.length > 0) return others;
  }
  return pieces;
}

/** @param most words of it that are looked for */
function matchPiece(piece: string, most: number): string {
  const ways = lookAlikesOf(piece).flatMap((one) => waysOf(one, wordsIn(one).slice(0, most)));
  return `(${ways.join(' OR ')})`;
}

/** A code, its words, or the one word that it may be written as. */
function waysOf(piece: string, words: readonly string[]): string[] {
  const key = keyOf(piece);
  const all = `(${words.map((word) => matchWord(word)).join(' AND ')})`;
  const isCode = /\p{L}/u.test(key) && /\d/.test(key) && words.length > 1 && words.length <= MOST_PARTS;
  return [quote(codeToken(key)), all, ...(isCode ? [matchWord(key)] : [])];
}

function matchWord(word: string): string {
  const stems = stemsOf(word).map((stem) => quote(wordToken(beginningOf(stem))));
  return stems.length === 1 ? (stems[0] as string) : `(${stems.join(' OR ')})`;
}

function quote(token: string): string {
  return `"${token}"`;
}
