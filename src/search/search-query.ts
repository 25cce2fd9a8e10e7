import type { AmountBound, Cursor, IndexQuery } from '../database/search/index-query.js';
import { matchText } from './match.js';
import { regionKey } from './region-key.js';
import { nameKey } from './searchable-assets.js';
import { classificationToken, currencyToken, custodianToken, facetToken, lotToken, ownerToken } from './tokens.js';

/** How the code of a classification begins; without a scheme: in any. */
export interface ClassificationBeginning {
  scheme: string | undefined;
  code: string;
}

/** What is looked for: everything that is given must hold, and of a list any of its members. Source: contract section 11. */
export interface SearchQuery {
  /** Words by their beginnings, an assetID, its day or its last digits, an id, a custodian's code: all must match. Empty: everything. */
  text: string;
  status: readonly string[];
  /** Current names of types. */
  assetType: readonly string[];
  /** In any spelling. */
  region: readonly string[];
  /** Codes of custodians. */
  custodian: readonly string[];
  /** A scheme, and how the code begins: any of those that were meant. */
  classification: readonly ClassificationBeginning[];
  relatedLot: string | undefined;
  owner: string | undefined;
  currency: string | undefined;
  valueFrom: AmountBound | undefined;
  valueTo: AmountBound | undefined;
  /** Instants of the last change in microseconds; both are outside. */
  afterUs: number;
  beforeUs: number;
}

/** Which of what is found. */
export interface SearchPageQuery {
  isByValue: boolean;
  isDescending: boolean;
  after: Cursor | undefined;
  limit: number;
  withFacets: boolean;
}

/** The query for everything. */
export const EVERYTHING: SearchQuery = {
  text: '',
  status: [],
  assetType: [],
  region: [],
  custodian: [],
  classification: [],
  relatedLot: undefined,
  owner: undefined,
  currency: undefined,
  valueFrom: undefined,
  valueTo: undefined,
  afterUs: -1,
  beforeUs: Number.MAX_SAFE_INTEGER,
};

/** So many combinations of states, types and regions are looked for by one term each; of more, each list stands alone. */
const MOST_COMBINATIONS = 60;

/** @returns undefined where nothing can be found */
export function indexQueryOf(query: SearchQuery): IndexQuery | undefined {
  const { match, isHopeless } = matchText(query.text);
  const regions = query.region.map((region) => regionKey(region)).filter((key) => key !== '');
  if (isHopeless || (query.region.length > 0 && regions.length === 0)) return undefined;
  const { currency, valueFrom, valueTo, afterUs, beforeUs } = query;
  const others = otherChoices(query);
  const choices = [...facetChoices(query, [...new Set(regions)]), ...others];
  const isByFacets = match === undefined && others.length === 0;
  const facets = { status: query.status, assetType: query.assetType, region: regions };
  return {
    words: match,
    choices,
    facets,
    isByFacets,
    currency,
    currencyTerm: currencyTermOf(query),
    from: valueFrom,
    to: valueTo,
    afterUs,
    beforeUs,
  };
}

function facetChoices({ status, assetType }: SearchQuery, regions: readonly string[]): string[][] {
  const [states, types] = [status.map(nameKey), assetType.map(nameKey)];
  const lists = [states, types, regions].map((list) => (list.length === 0 ? [undefined] : [...new Set(list)]));
  const [s = [], t = [], r = []] = lists;
  if (s.length * t.length * r.length > MOST_COMBINATIONS)
    return [
      s.map((key) => facetToken({ status: key })),
      t.map((key) => facetToken({ assetType: key })),
      r.map((key) => facetToken({ region: key })),
    ].flatMap(given);
  const combined = s.flatMap((one) =>
    t.flatMap((type) => r.map((region) => facetToken({ status: one, assetType: type, region }))),
  );
  return given(combined);
}

/** Without a list of which nothing was chosen. */
function given(tokens: (string | undefined)[]): string[][] {
  const all = tokens.filter((token) => token !== undefined);
  return all.length === 0 ? [] : [all];
}

function otherChoices(query: SearchQuery): string[][] {
  const { custodian, classification, relatedLot, owner } = query;
  const lists = [
    custodian.map(custodianToken),
    classification.map(({ scheme, code }) => classificationToken(scheme, code)),
    relatedLot === undefined ? [] : [lotToken(relatedLot)],
    owner === undefined ? [] : [ownerToken(owner)],
  ];
  return lists.filter((list) => list.length > 0);
}

/** An amount between bounds has its currency beside it. */
function currencyTermOf({ currency, valueFrom, valueTo }: SearchQuery): string | undefined {
  const isBounded = valueFrom !== undefined || valueTo !== undefined;
  return currency === undefined || isBounded ? undefined : currencyToken(currency);
}
