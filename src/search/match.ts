import { codeToken, facetToken, type Facets, wordToken } from './tokens.js';
import { beginningOf, fold, keyOf, piecesIn, wordsIn } from './words.js';

/** The most words of all pieces together: each costs the reading of a list, and nobody types more to find something. */
const MOST_WORDS = 12;

/** What is looked for, as it was typed and chosen. An empty facet counts as not chosen. */
export interface Wanted {
  text: string;
  status?: string | undefined;
  assetType?: string | undefined;
  /** Keys of regions, any of which matches; undefined for all. */
  regions?: readonly string[] | undefined;
}

export interface Match {
  /** A query in the language of FTS5; undefined: everything matches. */
  match: string | undefined;
  /** Whether nothing can match, for example a text of punctuation only. */
  isHopeless: boolean;
}

/**
 * The query for FTS5. Each piece of the text is a code, or the beginnings of words. All pieces and the facets must match. Terms hold letters,
 * digits and colons only and stand in quotes, so a client cannot reach the query language of FTS5.
 */
export function matchOf({ text, regions, ...chosen }: Wanted): Match {
  const pieces: string[] = [];
  let left = MOST_WORDS;
  for (const piece of new Set(piecesIn(fold(text)))) {
    const words = wordsIn(piece).slice(0, left);
    if (words.length > 0) pieces.push(matchPiece(piece, words));
    left -= words.length;
  }
  const facets = { status: keyOrNone(chosen.status), assetType: keyOrNone(chosen.assetType) };
  const facet = matchFacets(facets, regions);
  const terms = facet === undefined ? pieces : [...pieces, facet];
  const isHopeless =
    (text.trim() !== '' && pieces.length === 0) || Object.values(facets).includes('') || regions?.length === 0;
  return { match: terms.length === 0 ? undefined : terms.join(' AND '), isHopeless };
}

/** @returns the key of a chosen facet; without letters and digits it is empty, and matches nothing */
function keyOrNone(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : keyOf(fold(value));
}

function matchFacets(facets: Facets, regions: readonly string[] = []): string | undefined {
  if (regions.length < 2) {
    const token = facetToken({ ...facets, region: regions[0] });
    return token === undefined ? undefined : quote(token);
  }
  const tokens = regions.map((region) => quote(facetToken({ ...facets, region }) as string));
  return `(${tokens.join(' OR ')})`;
}

function matchPiece(piece: string, words: readonly string[]): string {
  const all = words.map((word) => quote(wordToken(beginningOf(word)))).join(' AND ');
  return `(${quote(codeToken(keyOf(piece)))} OR (${all}))`;
}

function quote(token: string): string {
  return `"${token}"`;
}
