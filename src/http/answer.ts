import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { indentJson } from './json-text.js';
import { requestIdOf } from './request-id.js';
import { targetOf } from './request-target.js';

/** What a handler returns: a status, the JSON text (or none) and headers. */
export class Answer {
  constructor(
    readonly status: number,
    readonly text: string | undefined,
    readonly headers: OutgoingHttpHeaders = {},
  ) {}
}

/** Headers that every answer carries, whatever layer it comes from. Source: contract section 9. */
export const COMMON_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Backoff, ETag, Feed-Epoch, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-ID',
} as const;

/** Event of a response: its answer has been handed over, though the client may take its time to read it. */
export const ANSWERED = 'answered';

/** Writes `answer` as it stands: no charset, no second ETag, nothing that Express would add. */
export function writeAnswer(response: ServerResponse & { req: IncomingMessage }, answer: Answer): void {
  const headers: OutgoingHttpHeaders = {
    ...COMMON_HEADERS,
    'X-Request-ID': requestIdOf(response.req),
    ...answer.headers,
  };
  if (answer.text === undefined) {
    response.writeHead(answer.status, headers).end();
    response.emit(ANSWERED);
    return;
  }
  const bytes = Buffer.from(wantsIndent(response.req) ? indentJson(answer.text) : answer.text);
  headers['Content-Type'] = 'application/json';
  headers['Content-Length'] = bytes.length;
  // Node leaves the bytes away for HEAD by itself.
  response.writeHead(answer.status, headers).end(bytes);
  response.emit(ANSWERED);
}

/** `opt_pretty` present and neither `0` nor `false`. */
function wantsIndent(request: IncomingMessage): boolean {
  const sent = targetOf(request).query.get('opt_pretty');
  return sent !== undefined && sent !== '0' && sent !== 'false';
}
