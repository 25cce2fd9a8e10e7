import type { SchemaObject } from 'openapi3-ts/oas31';
import { malformedHeader, malformedParameter, repeatedParameter } from '../platform/errors/errors.js';
import { instantFault } from '../platform/time/instant-fault.js';
import type { RegistryTime } from '../platform/time/registry-time.js';
import { type Query, targetOf } from './request-target.js';
import { apiPaths } from './api-paths.js';
import { isLanguage, type Language, LANGUAGES } from './language.js';
import { isRead, isWrite, type RegistryRequest, type RegistryResponse, type Middleware } from './request.js';
import type { Routes } from './routes.js';

/*
 * The API's query parameters: how they are read, described, and checked before routing.
 */

/** Maximum entries of a page. */
export const MAX_ENTRIES = 1_000;
const DEFAULT_LIMIT = 100;
const MAX_WAIT = 60;
/** Values, in any case, that switch a flag off like an empty value. Source: contract section 6. */
const OFF = ['0', 'false', 'no', 'off'];
/** Values, in any case, that request a dry run. */
const ON = ['1', 'true', 'yes', 'on'];
const NO_DRY_RUN = '1 makes it a dry run, which writes nothing; 0, or no parameter, does not';
/** Other spellings, such as `dry_run[]` or `data[dry_run]`, are refused: their senders expect that nothing is written. */
const DRY_RUN_SPELLINGS = /^(?:data)?[^a-z]*dry[^a-z]*runs?[^a-z]*$/i;
const LOST_PLUS = /(\d{2}:\d{2}\S*) (\d{2}:?\d{2})$/;
const UNLESS_OFF = ', with any value but empty, `0`, `false`, `no` and `off` (in any case of letters)';
const NO_LIMIT = `A whole number from 1 is required: at most ${MAX_ENTRIES}, and more counts as ${MAX_ENTRIES}`;

/** A query parameter; a string unless it has a schema. The registry ignores one without `read`. */
export interface QueryParameter {
  description: string;
  schema?: SchemaObject;
  /** @throws ApiError 400 */
  read?(query: Query, time: RegistryTime): unknown;
}

/** An instant in a query: its text, with a lost `+` restored, and in microseconds. */
export interface SentInstant {
  text: string;
  us: number;
}

/** All query parameters. Empty counts as absent unless stated otherwise; unknown parameters are ignored. */
export const QUERY_PARAMETERS = {
  offset: instant(
    'offset',
    'Entries strictly after this instant (before it, with `descending`): an ISO 8601 date, or date and time, with any UTC ' +
      "offset or none (then the registry's time zone). Usually the `next_page.offset` of the previous page",
  ),
  at: instant(
    'at',
    'The asset at this instant, written as in `offset`; 404 if it was not public then. For an instant after the newest change of the registry: its current state',
  ),
  from: instant('from', 'The range begins after this instant, written as in `offset`; by default with the first entry'),
  to: instant('to', 'The range ends with this instant, inclusive; by default with the last entry'),
  limit: {
    description: `Maximum number of entries; more than ${MAX_ENTRIES} counts as ${MAX_ENTRIES}. With \`opt_fields\` a page has fewer if assets are large: only an empty page is the end`,
    schema: { type: 'integer', minimum: 1, default: DEFAULT_LIMIT },
    read: (query: Query): number => {
      const text = query.get('limit') || String(DEFAULT_LIMIT);
      const limit = /^\d+$/.test(text) ? Number(text) : 0;
      if (limit === 0) throw malformedParameter('limit', NO_LIMIT);
      return Math.min(limit, MAX_ENTRIES);
    },
  },
  descending: {
    description: `Newest first${UNLESS_OFF}`,
    read: (query: Query): boolean => isOn(query.get('descending')),
  },
  opt_fields: {
    description:
      'Comma-separated names of asset fields that entries have in addition to id and dateModified; `*`: each entry is the whole asset',
    read: (query: Query): readonly string[] | '*' => {
      const names = (query.get('opt_fields') ?? '').split(',').map((name) => name.trim());
      return names.includes('*') ? '*' : names.filter((name) => name !== '');
    },
  },
  wait: {
    description: `Maximum seconds to wait for an entry if the page would be empty; more than ${MAX_WAIT} counts as ${MAX_WAIT}. Not with \`descending\``,
    schema: { type: 'integer', minimum: 0, default: 0 },
    read: (query: Query): number => {
      const text = query.get('wait') ?? '';
      if (text === '') return 0;
      if (!/^\d+$/.test(text)) throw malformedParameter('wait', `Whole seconds are required, 0 to ${MAX_WAIT}`);
      if (isOn(query.get('descending')))
        throw malformedParameter('wait', 'What comes is waited for without descending');
      return Math.min(Number(text), MAX_WAIT);
    },
  },
  feed: { description: 'Accepted, without effect' },
  mode: { description: 'Accepted, without effect' },
  bom: {
    description: `CSV begins with a byte order mark, which some spreadsheets need${UNLESS_OFF}`,
    read: (query: Query): boolean => isOn(query.get('bom')),
  },
  lang: {
    description: 'Language of the headings; by default the preferred one of Accept-Language, or Ukrainian',
    schema: { enum: [...LANGUAGES] },
    read: (query: Query): Language | undefined => {
      const language = query.get('lang') || undefined;
      if (language !== undefined && !isLanguage(language))
        throw malformedParameter('lang', `One of these is required: ${LANGUAGES.join(', ')}`);
      return language;
    },
  },
  dry_run: {
    description:
      'With `1` (or `true`, `yes`, `on`) a dry run: all checks and the same errors, and nothing is written. Without it, or with `0`, `false`, `no` or ' +
      '`off`, the write is made. Anything else is refused, as are an empty value and other spellings of the name, so that no record is made by mistake',
    schema: { enum: [...ON, ...OFF] },
    read: (query: Query): boolean => {
      const [sent, second] = query.parameters.filter(({ name }) => DRY_RUN_SPELLINGS.test(name));
      if (sent === undefined) return false;
      if (second !== undefined) throw repeatedParameter('dry_run');
      if (sent.name !== 'dry_run') throw malformedParameter(sent.name, 'A dry run is asked for by dry_run=1');
      const value = sent.value.toLowerCase();
      if (ON.includes(value)) return true;
      if (OFF.includes(value)) return false;
      throw malformedParameter('dry_run', NO_DRY_RUN);
    },
  },
  opt_pretty: {
    description: `The answer indented by two spaces${UNLESS_OFF}`,
    read: (query: Query): boolean => isOn(query.get('opt_pretty')),
  },
  acc_token: {
    description: 'The owner token; overrides X-Access-Token, which overrides `access.token` of the body',
    read: (query: Query): string | undefined => query.get('acc_token') || undefined,
  },
} satisfies Record<string, QueryParameter>;

export type QueryParameterName = keyof typeof QUERY_PARAMETERS;

/** Parameters of the API's reads, by path template below the prefix; every path also takes `opt_pretty`. */
export const READ_PARAMETERS = {
  assets: ['offset', 'limit', 'descending', 'opt_fields', 'wait', 'feed', 'mode'],
  'assets/:id': ['at'],
  'assets/:id/history': ['at', 'offset', 'limit', 'descending'],
  'assets/:id/proof': ['at'],
  'assets/digest': ['from', 'to'],
  'log/assets': ['limit'],
  'log/:epoch/assets': ['limit'],
} satisfies Record<string, QueryParameterName[]>;

function isOn(value = ''): boolean {
  return value !== '' && !OFF.includes(value.toLowerCase());
}

export interface InstantParameter extends QueryParameter {
  /** @returns undefined if it is absent @throws ApiError 400 */
  read(query: Query, time: RegistryTime): SentInstant | undefined;
}

/** Restores a `+` that arrived as a space because it was not percent-encoded, such as the one before a UTC offset. */
export function restorePlus(text: string): string {
  return text.replace(LOST_PLUS, '$1+$2');
}

export function instant(name: string, description: string): InstantParameter {
  const read = (query: Query, time: RegistryTime): SentInstant | undefined => {
    if (query.all(name).length > 1) throw repeatedParameter(name);
    const text = restorePlus(query.get(name) ?? '');
    if (text === '') return undefined;
    const us = time.parse(text);
    if (us === undefined)
      throw malformedParameter(name, `An ISO 8601 date, or date and time, is required: ${instantFault(text)}`);
    return { text, us };
  };
  return { description, read };
}

/** Parameters by route template. */
const PARAMETERS = new Map<string, QueryParameter[]>(
  Object.entries(READ_PARAMETERS).flatMap(([resource, names]) =>
    apiPaths(resource).map((path) => [`/${path}`, names.map((name) => QUERY_PARAMETERS[name])] as const),
  ),
);
const DRY_RUN_ROUTES = new Set([
  ...apiPaths('assets').flatMap((path) => [`POST /${path}`, `PATCH /${path}`]),
  ...apiPaths('assets/:id').map((path) => `PATCH /${path}`),
]);

/**
 * The second check of every request: its query is valid. The pipes of a read parse it again, which costs less than storing it. Source:
 * contract section 8, the 400s.
 * @param routes to look up a request's route
 * @param others further checks of reads, by route template
 */
export function queryCheck(
  routes: Pick<Routes, 'templateOf'>,
  time: RegistryTime,
  others: readonly ReadonlyMap<string, (request: RegistryRequest) => unknown>[],
): Middleware {
  return (request, response) => {
    const { path, query } = targetOf(request);
    if (query.parameters.length === 0 && request.headers['last-event-id'] === undefined) return;
    if (!isRead(request) && !isWrite(request)) return;
    const template = routes.templateOf(request.method, path);
    if (template === undefined) return;
    if (isWrite(request)) {
      checkDryRun(request, response, template);
      return;
    }
    for (const parameter of PARAMETERS.get(template) ?? []) parameter.read?.(query, time);
    for (const checks of others) checks.get(template)?.(request);
  };
}

/** Marks a dry run on the request and on every answer to it, errors included. Source: contract sections 8, the 400s, and 14. */
function checkDryRun(request: RegistryRequest, response: RegistryResponse, template: string): void {
  if (!QUERY_PARAMETERS.dry_run.read(targetOf(request).query)) return;
  // Without this, the write would be made although its client expects a dry run.
  if (!DRY_RUN_ROUTES.has(`${request.method} ${template}`))
    throw malformedParameter('dry_run', 'There is no dry run of this request');
  request.isDryRun = true;
  response.setHeader('Dry-Run', '1');
  if (request.headers['idempotency-key'] !== undefined)
    throw malformedHeader('Idempotency-Key', 'A dry run keeps nothing: it may be repeated without this header');
}
