import { codeToken, facetToken, type Facets, wordToken } from './tokens.js';
import { beginningOf, fold, keyOf, piecesIn, wordsIn } from './words.js';

/** Of all pieces together: each is a list that is read. Nobody types more to find something. */
const MOST_WORDS = 12;

/** What is looked for, as it was typed and chosen; an empty facet is none. */
export interface Wanted {
  text: string;
  status?: string | undefined;
  assetType?: string | undefined;
  /** Keys of regions, any of which will do; undefined for all. */
  regions?: readonly string[] | undefined;
}

export interface Match {
  /** In the language of FTS5; undefined: everything. */
  match: string | undefined;
  /** Whether nothing can be found, as by a text of punctuation. */
  isHopeless: boolean;
}

/**
 * What FTS5 is asked. Each piece of the text is a code, or words that all begin so; all pieces and the facets must meet. Terms hold letters,
 * digits and colons and stand in quotes, so there is no way to the language of FTS5 from outside.
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

/** @returns the key of what was chosen; one without letters and digits is empty, and nothing has it */
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
