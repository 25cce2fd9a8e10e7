import type { RegistryRequest, RegistryResponse } from './exchange.js';
import { indentJson } from './json-text.js';
import { requestIdOf } from './request-id.js';
import { targetOf } from './request-target.js';

/** `latin1` for text whose every character is a byte of it in UTF-8: it came as bytes, and goes out as such. */
export type TextEncoding = 'utf8' | 'latin1';

/** What a handler returns: a status, the JSON text (or none) and headers. */
export class Answer {
  constructor(
    readonly status: number,
    readonly text: string | undefined,
    readonly headers: Readonly<Record<string, string>> = {},
    readonly encoding: TextEncoding = 'utf8',
  ) {}
}

/** Headers that every answer carries, whatever layer it comes from. Source: contract section 9. */
export const COMMON_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Backoff, ETag, Feed-Epoch, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-ID',
} as const;

const COMMON = Object.entries(COMMON_HEADERS).flat();

/** Writes `answer` as it stands: no charset, no second ETag, nothing that Express would add. */
export function writeAnswer(response: RegistryResponse, { status, text, headers, encoding }: Answer): void {
  // A list of names and values: an object put together for each answer would cost as much as all of Node's work on it.
  const all = [...COMMON, 'X-Request-ID', requestIdOf(response.req)];
  for (const name of Object.keys(headers)) all.push(name, headers[name] as string);
  if (text === undefined) {
    response.writeHead(status, all).end();
  } else {
    const body = Buffer.from(wantsIndent(response.req) ? indentJson(text) : text, encoding);
    all.push('Content-Type', 'application/json', 'Content-Length', String(body.length));
    // Node leaves the bytes away for HEAD by itself.
    response.writeHead(status, all).end(body);
  }
  for (const act of response.whenAnswered) act();
}

/** `opt_pretty` present and neither `0` nor `false`. */
function wantsIndent(request: RegistryRequest): boolean {
  const sent = targetOf(request).query.get('opt_pretty');
  return sent !== undefined && sent !== '0' && sent !== 'false';
}
