import { codeToken, wordToken } from './tokens.js';
import { beginningOf, fold, keyOf, piecesIn, wordsIn } from './words.js';
import { stemsOf } from './word-forms.js';

/** The most words of all pieces together: each costs the reading of a list, and nobody types more to find something. */
const MOST_WORDS = 12;

/** Words that join others: people type them, and assets seldom have them where they would. */
const JOINING: ReadonlySet<string> = new Set(
  'у в з і й о до на по за та зі із об of in at on to a an the and'.split(' '),
);

export interface Match {
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
  for (const piece of new Set(withoutJoining(piecesIn(fold(text))))) {
    const words = wordsIn(piece).slice(0, left);
    if (words.length > 0) pieces.push(matchPiece(piece, words));
    left -= words.length;
  }
  return {
    match: pieces.length === 0 ? undefined : pieces.join(' AND '),
    isHopeless: text.trim() !== '' && pieces.length === 0,
  };
}

/** Where nothing else was typed, they are looked for. */
function withoutJoining(pieces: readonly string[]): readonly string[] {
  const others = pieces.filter((piece) => !wordsIn(piece).every((word) => JOINING.has(word)));
  return others.length === 0 ? pieces : others;
}

function matchPiece(piece: string, words: readonly string[]): string {
  const all = words.map((word) => matchWord(word)).join(' AND ');
  return `(${quote(codeToken(keyOf(piece)))} OR (${all}))`;
}

function matchWord(word: string): string {
  const stems = stemsOf(word).map((stem) => quote(wordToken(beginningOf(stem))));
  return stems.length === 1 ? (stems[0] as string) : `(${stems.join(' OR ')})`;
}

function quote(token: string): string {
  return `"${token}"`;
}
