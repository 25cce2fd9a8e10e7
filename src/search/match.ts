import { codeToken, facetToken, type Facets, wordToken } from './tokens.js';
import { beginningOf, fold, keyOf, piecesIn, wordsIn } from './words.js';

/** Nobody types more to find something. */
const MOST_CHARACTERS = 200;
const MOST_WORDS = 10;

/** What is looked for, as it was typed and chosen; an empty facet is none. */
export interface Wanted {
  text: string;
  status?: string | undefined;
  assetType?: string | undefined;
  region?: string | undefined;
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
export function matchOf({ text, status, assetType, region }: Wanted): Match {
  const typed = fold(text.slice(0, MOST_CHARACTERS));
  const pieces = piecesIn(typed)
    .map(matchPiece)
    .filter((piece) => piece !== undefined)
    .slice(0, MOST_WORDS);
  const chosen = chosenOf({ status, assetType, region });
  const facet = facetToken(chosen);
  const terms = [...pieces, ...(facet === undefined ? [] : [quote(facet)])];
  const isHopeless = (text.trim() !== '' && pieces.length === 0) || Object.values(chosen).some((key) => key === '');
  return { match: terms.length === 0 ? undefined : terms.join(' AND '), isHopeless };
}

/** @returns keys of what was chosen; one without letters and digits is empty, and nothing has it */
function chosenOf({ status, assetType, region }: Omit<Wanted, 'text'>): Facets {
  const keyOrNone = (value: string | undefined): string | undefined =>
    value === undefined || value === '' ? undefined : keyOf(fold(value));
  return { status: keyOrNone(status), assetType: keyOrNone(assetType), region: keyOrNone(region) };
}

/** @returns undefined for what holds neither letter nor digit */
function matchPiece(piece: string): string | undefined {
  const words = wordsIn(piece).slice(0, MOST_WORDS);
  if (words.length === 0) return undefined;
  const all = words.map((word) => quote(wordToken(beginningOf(word)))).join(' AND ');
  return `(${quote(codeToken(keyOf(piece)))} OR (${all}))`;
}

function quote(token: string): string {
  return `"${token}"`;
}
