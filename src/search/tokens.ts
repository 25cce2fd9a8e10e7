/*
 * The terms of the index: each has a kind and a value, such as `w:земл`. They hold letters, digits and colons only, so nothing that a client
 * types can act as syntax of the query language.
 */

/** Chosen among the values that there are, as keys (see keyOf). */
export interface Facets {
  status?: string | undefined;
  assetType?: string | undefined;
  region?: string | undefined;
}

/** Of a longer code so many characters are compared. */
const MOST_OF_CODE = 40;

export const wordToken = (beginning: string): string => `w:${beginning}`;
export const codeToken = (key: string): string => `c:${key}`;
export const custodianToken = (code: string): string => `k:${exact(code)}`;
export const ownerToken = (name: string): string => `o:${exact(name)}`;
export const lotToken = (id: string): string => `l:${exact(id)}`;
export const currencyToken = (code: string): string => `v:${exact(code)}`;
/** @param beginning of the code; empty for every code of the scheme */
export const classificationToken = (scheme: string, beginning: string): string =>
  classificationTokens(scheme, beginning).at(-1) as string;

/** A classification is found by its scheme, and by each beginning of its code. */
export function classificationTokens(scheme: string, code: string): string[] {
  const tokens = [`n:${exact(scheme)}:z:`];
  for (const character of Array.from(code).slice(0, MOST_OF_CODE)) tokens.push(`${tokens.at(-1)}${exact(character)}`);
  return tokens;
}

/** Different for different texts, cases among them: what is neither a letter in lower case nor a digit is written as its number. */
function exact(text: string): string {
  return text.replaceAll(/[^\p{Ll}\p{Lo}\p{Nd}]/gu, (character) => `:${character.codePointAt(0)?.toString(16)}:`);
}

/** One term for a combination of facets, so that several facets cost as little as one. @returns undefined where none is given */
export function facetToken({ status, assetType, region }: Facets): string | undefined {
  const given = Object.entries({ s: status, t: assetType, r: region }).filter(([, key]) => key !== undefined);
  if (given.length === 0) return undefined;
  return [given.map(([kind]) => kind).join(''), ...given.map(([, key]) => key)].join(':');
}

/** Every combination that an asset is found by; all are keys. */
export function facetTokens(status: string, assetType: string, regions: readonly string[]): string[] {
  const tokens = [`s:${status}`, `t:${assetType}`, `st:${status}:${assetType}`];
  for (const region of regions)
    tokens.push(
      `r:${region}`,
      `sr:${status}:${region}`,
      `tr:${assetType}:${region}`,
      `str:${status}:${assetType}:${region}`,
    );
  return tokens;
}
