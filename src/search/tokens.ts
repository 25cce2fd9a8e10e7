/*
 * The terms of the index: each has a kind and a value, such as `w:земл`. They hold letters, digits and colons only, so nothing that a client
 * types can act as syntax of the query language.
 */

/** The filters beside the text, as keys (see keyOf). */
export interface Facets {
  status?: string | undefined;
  assetType?: string | undefined;
  region?: string | undefined;
}

export const wordToken = (beginning: string): string => `w:${beginning}`;
export const codeToken = (key: string): string => `c:${key}`;

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
