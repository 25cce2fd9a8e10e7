import { Injectable, type PipeTransform } from '@nestjs/common';
import { AssetTypes } from '../asset-types/asset-types.js';
import { lifecycleOf } from '../asset-types/lifecycle.js';
import { currencyFault } from '../asset-types/rules.js';
import { LOT_ID } from '../feed/asset-identifiers.js';
import type { IndexPageQuery } from '../database/search/index-query.js';
import { malformedParameter, repeatedParameter } from '../platform/errors/errors.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import type { Query } from '../http/request-target.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import {
  FACETS,
  type FacetName,
  readBound,
  readCursor,
  SEARCH_PARAMETERS,
  type SearchParameter,
  type SearchParameterName,
  SORTS,
} from './search-parameters.js';
import type { SearchQuery } from './search-query.js';

/** A valid query of the search. Source: contract section 11. */
export interface ParsedSearch {
  query: SearchQuery;
  page: IndexPageQuery;
  facets: readonly FacetName[];
  /** Asset fields to add to each entry; `*` for whole assets. */
  fields: readonly string[] | '*';
  /** The offset as sent; empty if absent. */
  offset: string;
}

const SEPARATOR = /[:\s]+/gu;
/** Separators tried as the end of a scheme: its name may contain some, as in `ДК 021:2015`. */
const MAX_SEPARATORS = 4;
/** Maximum values of a repeated parameter. */
const MAX_VALUES = 100;

/** Parses the query of a search. Unknown parameters are refused, because ignoring a misspelt filter would give wrong results. */
@Injectable()
export class SearchQueryPipe implements PipeTransform<Query, ParsedSearch> {
  private readonly states: ReadonlySet<string>;

  constructor(
    private readonly types: AssetTypes,
    private readonly time: RegistryTime,
  ) {
    this.states = new Set(types.installed.flatMap((type) => Object.keys(lifecycleOf(type).states)));
  }

  /** @throws ApiError 400 */
  transform(sent: Query): ParsedSearch {
    refuseUnknown(sent);
    const sort = oneOf('sort', sent.get('sort') || SORTS[0], SORTS);
    const isByValue = sort.endsWith('value');
    if (isByValue) needCurrency('sort', sent);
    const facets = (sent.get('facets') ?? '').split(',').filter((name) => name !== '');
    const offset = sent.get('offset') ?? '';
    return {
      query: this.queryOf(sent),
      page: {
        isByValue,
        isDescending: sort.startsWith('-'),
        after: offset === '' ? undefined : readCursor(offset, isByValue),
        limit: QUERY_PARAMETERS.limit.read(sent),
        withFacets: facets.length > 0,
      },
      facets: facets.map((name) => oneOf('facets', name, FACETS)),
      fields: QUERY_PARAMETERS.opt_fields.read(sent),
      offset,
    };
  }

  private queryOf(sent: Query): SearchQuery {
    const currency = sent.get('currency') || undefined;
    const fault = currency && currencyFault(currency);
    if (fault) throw malformedParameter('currency', fault);
    const relatedLot = sent.get('relatedLot') || undefined;
    if (relatedLot !== undefined && !LOT_ID.test(relatedLot))
      throw malformedParameter('relatedLot', '24 to 32 lower-case hex characters are required');
    return {
      text: sent.get('q') ?? '',
      status: valuesOf(sent, 'status').map((status) => oneOf('status', status, [...this.states])),
      assetType: valuesOf(sent, 'assetType').map((name) => this.typeName(name)),
      region: valuesOf(sent, 'region'),
      custodian: valuesOf(sent, 'custodian'),
      classification: classificationOf(sent.get('classification')),
      relatedLot,
      owner: sent.get('owner') || undefined,
      currency,
      valueFrom: boundOf(sent, 'valueFrom'),
      valueTo: boundOf(sent, 'valueTo'),
      afterUs: (SEARCH_PARAMETERS.modifiedFrom.read(sent, this.time)?.us ?? 0) - 1,
      beforeUs: SEARCH_PARAMETERS.modifiedTo.read(sent, this.time)?.us ?? Number.MAX_SAFE_INTEGER,
    };
  }

  private typeName(name: string): string {
    const names = this.types.installed.map((type) => type.name);
    return this.types.find(name)?.name ?? oneOf('assetType', name, names);
  }
}

function refuseUnknown(sent: Query): void {
  for (const { name, wellFormed } of sent.parameters) {
    if (name === 'opt_pretty') continue;
    if (!Object.hasOwn(SEARCH_PARAMETERS, name)) throw malformedParameter(name, unknownParameterText());
    if (!wellFormed) throw malformedParameter(name, 'The value is not percent-encoded UTF-8');
    const { isList = false }: SearchParameter = SEARCH_PARAMETERS[name as SearchParameterName];
    if (!isList && sent.all(name).length > 1) throw repeatedParameter(name);
  }
}

function unknownParameterText(): string {
  return `The search has no such parameter; it has ${Object.keys(SEARCH_PARAMETERS).join(', ')}`;
}

/** @throws ApiError 400 for a value that is not `known` */
function oneOf<Value extends string>(name: string, value: string, known: readonly Value[]): Value {
  if (!known.includes(value as Value)) throw malformedParameter(name, `One of these is required: ${known.join(', ')}`);
  return value as Value;
}

function valuesOf(sent: Query, name: SearchParameterName): string[] {
  const values = sent
    .all(name)
    .map(({ value }) => value)
    .filter((value) => value !== '');
  if (values.length > MAX_VALUES) throw malformedParameter(name, `At most ${MAX_VALUES} values are taken`);
  return values;
}

/** Returns all readings of a classification: `CPV`, `34`, `CPV:34`, `cpv 34`. */
function classificationOf(sent: string | undefined): SearchQuery['classification'] {
  const text = sent?.trim() ?? '';
  if (text === '') return [];
  if (text.startsWith(':'))
    throw malformedParameter(
      'classification',
      'A scheme, how a code begins, or both with a colon between them is required',
    );
  const separators = [...text.matchAll(SEPARATOR)].slice(0, MAX_SEPARATORS);
  const pairs = separators.map(({ 0: { length }, index }) => ({
    scheme: text.slice(0, index),
    code: text.slice(index + length),
  }));
  return [{ scheme: text, code: '' }, { scheme: undefined, code: text }, ...pairs];
}

function boundOf(sent: Query, name: 'valueFrom' | 'valueTo'): SearchQuery['valueFrom'] {
  const text = sent.get(name);
  if (!text) return undefined;
  needCurrency(name, sent);
  return readBound(name, text);
}

function needCurrency(name: string, sent: Query): void {
  if (!sent.get('currency'))
    throw malformedParameter(name, 'It needs `currency`, as amounts of different currencies cannot be compared');
}
