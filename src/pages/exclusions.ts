import { Injectable } from '@nestjs/common';
import type { Requester } from '../platform/concurrency/semaphore.js';
import { AssetSearch, type SearchPage } from '../search/asset-search.js';
import { EVERYTHING, type SearchQuery } from '../search/search-query.js';
import { remaining } from './list-links.js';
import type { PageQuery } from './page-query.js';
import { isAmount } from './typed-values.js';

const MAX_CONDITIONS = 10;
/** Where a condition stands in the query of the search. */
const FIELDS: ReadonlyMap<string, keyof SearchQuery> = new Map([
  ['q', 'text'],
  ['assetType', 'assetType'],
  ['region', 'region'],
  ['custodian', 'custodian'],
  ['classification', 'classification'],
  ['relatedLot', 'relatedLot'],
  ['owner', 'owner'],
  ['currency', 'currency'],
  ['valueFrom', 'valueFrom'],
  ['valueTo', 'valueTo'],
  ['modifiedFrom', 'afterUs'],
  ['modifiedTo', 'beforeUs'],
]);

/** Finds out which condition of a search excludes everything. The states are counted beside each list anyway. */
@Injectable()
export class Exclusions {
  constructor(private readonly search: AssetSearch) {}

  /** @returns what fits the query without a condition, by its name; at most ten searches @throws ApiError 503 */
  async of(query: PageQuery, searcher: Requester): Promise<Map<string, SearchPage>> {
    const { isByValue, isDescending } = query;
    const page = { isByValue, isDescending, after: undefined, limit: 1, withFacets: false };
    const found = new Map<string, SearchPage>();
    for (const name of namesIn(query)) {
      const one = await this.search.find(withoutName(query, name), page, searcher);
      if (one !== undefined) found.set(name, one);
    }
    return found;
  }
}

/** A currency is part of its price. */
function namesIn({ conditions }: PageQuery): string[] {
  const isPriced = conditions.some(({ name }) => isAmount(name));
  const names = new Set(conditions.map(({ name }) => name));
  return [...names].filter((name) => FIELDS.has(name) && !(isPriced && name === 'currency')).slice(0, MAX_CONDITIONS);
}

function withoutName({ conditions, query }: PageQuery, name: string): SearchQuery {
  const left = remaining(conditions, new Set(conditions.filter((one) => one.name === name)));
  const gone = conditions.filter((one) => !left.includes(one)).map((one) => FIELDS.get(one.name));
  const open = gone.filter((field) => field !== undefined).map((field) => [field, EVERYTHING[field]] as const);
  return { ...query, ...Object.fromEntries(open) };
}
