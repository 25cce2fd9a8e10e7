import type { HeaderObject, ReferenceObject, SchemaObject } from 'openapi3-ts/oas31';
import { COMMON_HEADERS } from '../http/answer.js';

const text = (description: string, schema: SchemaObject = {}): HeaderObject => ({
  description,
  schema: { type: 'string', ...schema },
});
const required = (header: HeaderObject): HeaderObject => ({ ...header, required: true });

/** Headers that are always sent, and always the same. */
export function constantHeaders(sent: Readonly<Record<string, string>>): Record<string, HeaderObject> {
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, required(text('Always the same', { const: value }))]),
  );
}

/** Headers of answers. `required` says that every answer has it that lists it. */
export const HEADERS: Readonly<Record<string, HeaderObject>> = {
  'X-Request-ID': required(
    text('The one that was sent, or one made here; it is in the log and in the audit', {
      pattern: '^[A-Za-z0-9._:-]{1,128}$',
    }),
  ),
  ...constantHeaders(COMMON_HEADERS),
  ETag: required(
    text('Strong: it changes with every change, and where the dates are printed with another UTC offset', {
      pattern: '^"[^"]+"$',
    }),
  ),
  WeakETag: required(
    text('Weak, as the answer may be compressed: another one when it says something else', {
      pattern: '^W/"[^"]+"$',
    }),
  ),
  AnyETag: required(
    text('Weak for a page of states, strong for the asset at an instant', { pattern: '^(W/)?"[^"]+"$' }),
  ),
  Location: required(text('The absolute URL of the new asset', { pattern: '^https?://' })),
  'Cache-Control': required(
    text('`no-cache` where nothing else is said: who keeps the answer asks before it is given again'),
  ),
  Vary: text('What the answer to a GET or a HEAD depends on beside its URL', {
    pattern: '^(?:Accept, )?Accept-Encoding$',
  }),
  'Content-Encoding': text('Of a GET or a HEAD, above 1 KB, as Accept-Encoding wants it', {
    enum: ['br', 'zstd', 'gzip'],
  }),
  Link: required(
    text('The next page, as `next_page.uri` in the body, or the next file', { pattern: '^<[^>]+>; rel="next"$' }),
  ),
  'Feed-Epoch': required(
    text('Another one than before: the history was replaced, and a copy of the registry begins again'),
  ),
  'Feed-Offset': required(text('Where to go on in the feed: every change up to there is in the answer')),
  'Accept-Ranges': required(text('Always the same', { const: 'bytes' })),
  'Content-Range': required(
    text('Which bytes of how many: `bytes 0-99/1234`; with 416, of how many alone', {
      pattern: '^bytes (?:\\d+-\\d+|\\*)/\\d+$',
    }),
  ),
  'Content-Disposition': required(text('A name for the file', { const: 'attachment; filename="assets.csv"' })),
  'Dry-Run': text('Where the request asked for a dry run, of an error too: nothing was written', { const: '1' }),
  Truncated: text('Where there are more hits than lines: `Link` leads to the next file', { const: 'true' }),
  'X-Accel-Buffering': text('On a stream of events, so that no proxy holds it back', { const: 'no' }),
  Backoff: {
    description: 'On an empty page: seconds to wait before the listing is asked again',
    schema: { type: 'integer', minimum: 1 },
  },
  'Retry-After': required({
    description: 'Seconds to wait before asking again',
    schema: { type: 'integer', minimum: 1 },
  }),
  'RateLimit-Policy': text('Where rates are limited: what is allowed, `"reads";q=200;w=4`', {
    pattern: '^"(?:reads|writes|keys)";q=\\d+;w=\\d+$',
  }),
  RateLimit: text('Where rates are limited: what is left, and the seconds until there is more, `"reads";r=199;t=1`', {
    pattern: '^"(?:reads|writes|keys)";r=\\d+;t=\\d+$',
  }),
  Allow: text('Where the path takes other methods: those', { pattern: '^[A-Z, ]+$' }),
  'WWW-Authenticate': required(text('How to bring a key')),
  'Set-Cookie': text('In cluster mode: the server to stay at, for whoever brings no cookie of it', {
    pattern: '^SERVER_ID=[A-Za-z0-9._-]+; Path=/; HttpOnly$',
  }),
};

const ALWAYS = ['X-Request-ID', 'Cache-Control', 'Vary', 'Content-Encoding', ...Object.keys(COMMON_HEADERS)];

/** A header of another kind under the same name. */
const NAMES: Readonly<Record<string, string>> = { WeakETag: 'ETag', AnyETag: 'ETag' };

/** The name under which a header is sent. */
function sentNameOf(name: string): string {
  return NAMES[name] ?? name;
}

/** The headers of an answer: those that every answer has, and these. */
export function headersOf(names: readonly string[]): Record<string, ReferenceObject> {
  const all = [...ALWAYS, ...names];
  return Object.fromEntries(all.map((name) => [sentNameOf(name), { $ref: `#/components/headers/${name}` }]));
}

/** Headers that some of the answers have. */
export function optional(names: readonly string[]): Record<string, HeaderObject> {
  return Object.fromEntries(names.map((name) => [sentNameOf(name), { ...HEADERS[name], required: false }]));
}
