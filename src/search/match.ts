import { codeToken, wordToken } from './tokens.js';
import { beginningOf, fold, keyOf, piecesIn, wordsIn } from './words.js';
import { stemOf } from './word-forms.js';

/** The most words of all pieces together: each costs the reading of a list, and nobody types more to find something. */
const MOST_WORDS = 12;

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
  for (const piece of new Set(piecesIn(fold(text)))) {
    const words = wordsIn(piece).slice(0, left);
    if (words.length > 0) pieces.push(matchPiece(piece, words));
    left -= words.length;
  }
  return {
    match: pieces.length === 0 ? undefined : pieces.join(' AND '),
    isHopeless: text.trim() !== '' && pieces.length === 0,
  };
}

function matchPiece(piece: string, words: readonly string[]): string {
  const all = words.map((word) => quote(wordToken(beginningOf(stemOf(word))))).join(' AND ');
  return `(${quote(codeToken(keyOf(piece)))} OR (${all}))`;
}

function quote(token: string): string {
  return `"${token}"`;
}
