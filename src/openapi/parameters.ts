import type { ParameterObject, ReferenceObject } from 'openapi3-ts/oas31';
import { MAX_ROWS } from '../search/file-query.js';
import { FILTERS, SEARCH_PARAMETERS, type SearchParameter } from '../search/search-parameters.js';
import { QUERY_PARAMETERS, type QueryParameter, READ_PARAMETERS } from '../http/query-parameters.js';
import { SOURCE } from './source.js';

const inQuery = Object.entries<QueryParameter>(QUERY_PARAMETERS).map(
  ([name, { description, schema = { type: 'string' } }]) => [name, { name, in: 'query', description, schema }] as const,
);
const inSearch = Object.entries<SearchParameter>(SEARCH_PARAMETERS).map(
  ([name, { description, schema = { type: 'string' }, isList = false }]) =>
    [
      `search_${name}`,
      { name, in: 'query', description, schema: isList ? { type: 'array', items: schema } : schema },
    ] as const,
);

/** All parameters of the document. */
export const PARAMETERS = {
  ...SOURCE.components.parameters,
  ...(Object.fromEntries([...inQuery, ...inSearch]) as Record<string, ParameterObject>),
  rows_limit: {
    name: 'limit',
    in: 'query',
    description: `How many rows at most; more than ${MAX_ROWS} counts as ${MAX_ROWS}`,
    schema: { type: 'integer', minimum: 1, default: MAX_ROWS },
  },
} satisfies Record<string, ParameterObject>;

/** Names of the search's parameters in the document; prefixed, because some have the same names as the listing's. */
const SEARCH_NAMES = inSearch.map(([name]) => name);

const FILE_NAMES = SEARCH_NAMES.map((name) => (name === 'search_limit' ? 'rows_limit' : name));

/** Query parameters of reads, by path template. */
const READ_NAMES: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    Object.entries(READ_PARAMETERS).map(([route, names]) => [`/${route.replaceAll(/:(\w+)/g, '{$1}')}`, names]),
  ),
  '/assets/search': SEARCH_NAMES,
  '/statistics': FILTERS.map((name) => `search_${name}`),
  '/assets/search.csv': FILE_NAMES,
  '/assets/search.xlsx': [...FILE_NAMES, 'lang'],
};

/** Names of the query parameters of a GET. */
export function readParametersOf(template: string): readonly string[] {
  return READ_NAMES[template] ?? [];
}

export function parametersOf(names: readonly string[]): ReferenceObject[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}
