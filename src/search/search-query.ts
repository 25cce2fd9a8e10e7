import type { AmountBound, IndexQuery } from '../database/search/index-query.js';
import { matchText } from './match.js';
import { regionKey } from './region-key.js';
import {
  classificationToken,
  currencyToken,
  custodianToken,
  lotToken,
  ownerToken,
  regionToken,
  statusToken,
  typeToken,
} from './tokens.js';

/** Without a scheme, it matches codes of any. */
export interface ClassificationPrefix {
  scheme: string | undefined;
  code: string;
}

/** Hits satisfy every member, and for a list any of its values. Source: contract section 11. */
export interface SearchQuery {
  /** Prefixes of words, an assetID, its day or last digits, an id, a custodian's code: all must match. Empty matches everything. */
  text: string;
  status: readonly string[];
  /** Current names of types. */
  assetType: readonly string[];
  /** In any spelling. */
  region: readonly string[];
  /** Codes of custodians. */
  custodian: readonly string[];
  /** All readings of what was typed. */
  classification: readonly ClassificationPrefix[];
  relatedLot: string | undefined;
  owner: string | undefined;
  currency: string | undefined;
  valueFrom: AmountBound | undefined;
  valueTo: AmountBound | undefined;
  /** Exclusive bounds of the last change, in microseconds. */
  afterUs: number;
  beforeUs: number;
}

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

/** @param needsAmount to find only assets with an amount @returns undefined if nothing can match */
export function indexQueryOf(query: SearchQuery, needsAmount: boolean): IndexQuery | undefined {
  const { match, matchesNothing } = matchText(query.text);
  const regions = query.region.map((region) => regionKey(region)).filter((key) => key !== '');
  if (matchesNothing || (query.region.length > 0 && regions.length === 0)) return undefined;
  const { status, assetType, currency, valueFrom: from, valueTo: to, afterUs, beforeUs } = query;
  const filtersAmounts = currency !== undefined && (needsAmount || from !== undefined || to !== undefined);
  const others = nonEmpty(
    ...otherChoices(query),
    currency === undefined || filtersAmounts ? [] : [currencyToken(currency)],
  );
  const isAnyTime = afterUs < 0 && beforeUs === Number.MAX_SAFE_INTEGER;
  const hasOnlyFacets = match === undefined && others.length === 0 && !filtersAmounts && isAnyTime;
  return {
    words: match,
    choices: [...nonEmpty(status.map(statusToken), assetType.map(typeToken), regions.map(regionToken)), ...others],
    facets: hasOnlyFacets ? { status, assetType, region: regions } : undefined,
    amounts: filtersAmounts ? { currency, from, to } : undefined,
    afterUs,
    beforeUs,
  };
}

function otherChoices({ custodian, classification, relatedLot, owner }: SearchQuery): string[][] {
  return [
    custodian.map(custodianToken),
    classification.map(({ scheme, code }) => classificationToken(scheme, code)),
    relatedLot === undefined ? [] : [lotToken(relatedLot)],
    owner === undefined ? [] : [ownerToken(owner)],
  ];
}

function nonEmpty(...lists: string[][]): string[][] {
  return lists.filter((list) => list.length > 0);
}
