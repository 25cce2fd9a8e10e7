import type { ParameterObject, ReferenceObject, SchemaObject } from 'openapi3-ts/oas31';
import { MOST_ENTRIES } from '../listing/listing-query.pipe.js';

const query = (name: string, description: string, schema: SchemaObject = { type: 'string' }): ParameterObject => ({
  name,
  in: 'query',
  description,
  schema,
});
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
    schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
  },
  offset: query(
    'offset',
    'Entries strictly after this instant (before it, with `descending`): an ISO 8601 date, or date and time, with any UTC ' +
      "offset or none (then the registry's time zone). As a rule the `next_page.offset` of the page before",
  ),
  at: query(
    'at',
    'The asset as it was at this instant, written as in `offset`; 404 where it was not public then. For an instant later than the newest change of the registry: as it is now',
  ),
  from: query('from', 'The range begins after this instant, written as in `offset`; without it, with the first entry'),
  to: query('to', 'The range ends with this instant, which is in it; without it, with the last entry'),
  limit: query(
    'limit',
    `How many entries at most; more than ${MOST_ENTRIES} counts as ${MOST_ENTRIES}. With \`opt_fields\` a page has fewer where assets are large: only an empty one is the end`,
    {
      type: 'integer',
      minimum: 1,
      default: 100,
    },
  ),
  descending: query('descending', 'Newest first, with any value but empty, `0` and `false`'),
  opt_fields: query(
    'opt_fields',
    'Names of fields of assets that entries have beside id and dateModified, with commas between them; `*`: each entry is the whole asset',
  ),
  feed: query('feed', 'Accepted, and changes nothing'),
  mode: query('mode', 'Accepted, and changes nothing'),
  opt_pretty: query('opt_pretty', 'The answer indented by two spaces, with any value but `0` and `false`'),
  acc_token: query(
    'acc_token',
    'The owner token; goes before X-Access-Token, and that before `access.token` of the body',
  ),
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
