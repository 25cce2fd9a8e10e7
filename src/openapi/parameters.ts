import type { ParameterObject, ReferenceObject, SchemaObject } from 'openapi3-ts/oas31';
import { ID_SCHEMA } from '../asset-types/fields.js';
import { MAX_ROWS } from '../search/csv-query.pipe.js';
import { SEARCH_PARAMETERS, type SearchParameter, type SearchParameterName } from '../search/search-parameters.js';
import { QUERY_PARAMETERS, type QueryParameter, type QueryParameterName } from '../http/query-parameters.js';

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
const header = (name: string, description: string, schema: SchemaObject = {}): ParameterObject => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string', ...schema },
});

/** What a request may bring beside its body and its key. */
export const PARAMETERS = {
  id: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The id of an asset',
    schema: ID_SCHEMA,
  },
  epoch: {
    name: 'epoch',
    in: 'path',
    required: true,
    description: 'Of the feed: what the origin of the log ends with. 404 where it is not the present one',
    schema: { type: 'string' },
  },
  tilePath: {
    name: 'tilePath',
    in: 'path',
    required: true,
    description:
      'A level (0 to 63) or `entries`, a slash, and the place of the tile in groups of three digits, `x001/x234/067`; with a part of it, `.p/` and its width. ' +
      'Slashes are sent as they are',
    schema: { type: 'string' },
  },
  log_from: {
    name: 'from',
    in: 'query',
    description: 'The place of the first entry, from 0',
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
  ...(Object.fromEntries(inQuery) as Record<QueryParameterName, ParameterObject>),
  ...(Object.fromEntries(inSearch) as Record<`search_${SearchParameterName}`, ParameterObject>),
  csv_limit: {
    name: 'limit',
    in: 'query',
    description: `How many rows at most; more than ${MAX_ROWS} counts as ${MAX_ROWS}`,
    schema: { type: 'integer', minimum: 1, default: MAX_ROWS },
  },
  xRequestId: header('X-Request-ID', 'A name for this request, kept in the log and the audit', {
    pattern: '^[A-Za-z0-9._:-]{1,128}$',
  }),
  idempotencyKey: header(
    'Idempotency-Key',
    'Makes a repeat safe: for 24 hours the same key of the same account with the same bytes gives the first answer again',
    { pattern: '^[\\x21-\\x7e]{1,128}$' },
  ),
  ifMatch: header('If-Match', 'The change is made only if the asset has one of these ETags; a list, or `*`'),
  ifNoneMatch: header('If-None-Match', '304 without a body where the ETag is one of these; a list, or `*`'),
  lastEventId: header(
    'Last-Event-ID',
    'Of a stream of events: the id of the last event that was seen; goes before `offset`',
  ),
  range: header('Range', 'One range of bytes, such as `bytes=1000-`; several of them, or another unit, count as none'),
  ifRange: header('If-Range', 'The ETag that Range is meant for; of another one, the whole is sent'),
  xAccessToken: header('X-Access-Token', 'The owner token of the asset; concierges and administrators send none'),
  serverId: {
    name: 'SERVER_ID',
    in: 'cookie',
    description: 'In cluster mode: the server that the client stays at. Writes need it',
    schema: { type: 'string' },
  },
} satisfies Record<string, ParameterObject>;

export type ParameterName = keyof typeof PARAMETERS;

export function parametersOf(names: readonly ParameterName[]): ReferenceObject[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** Names of the search's parameters in the document: some have the names of the listing's, and are not these. */
export const SEARCH_PARAMETER_NAMES = Object.keys(SEARCH_PARAMETERS).map(
  (name) => `search_${name as SearchParameterName}` as const,
);

/** Names of the parameters of the search as CSV, in the document. */
export const CSV_PARAMETER_NAMES = SEARCH_PARAMETER_NAMES.map((name) => (name === 'search_limit' ? 'csv_limit' : name));
