import { pipeline, type Readable } from 'node:stream';
import { type AnyText, chunkOf, mapText } from '../text/encoded-text.js';
import type { RegistryResponse } from './exchange.js';
import { indentJson } from './json-text.js';
import { QUERY_PARAMETERS } from './query-parameters.js';
import { requestIdOf, targetOf } from './request-head.js';

/** What a handler returns: a status, the JSON text (or none) and headers. */
export class Answer {
  constructor(
    readonly status: number,
    readonly text: AnyText | undefined,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** What is no JSON: a page for people, or a file that belongs to one. */
export class PageAnswer {
  constructor(
    readonly status: number,
    /** Undefined where there is nothing to send, as in a 304. */
    readonly body: Buffer | undefined,
    readonly mediaType: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** An answer that is too large to be held: it is sent as it is read, and cut off where reading fails. */
export class StreamedAnswer {
  constructor(
    readonly status: number,
    readonly stream: Readable,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}

/** Headers that every answer carries, whatever layer it comes from. Source: contract section 9. */
export const COMMON_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Backoff, ETag, Feed-Epoch, Feed-Offset, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Truncated, X-Request-ID',
} as const;

/** What a cache does where an answer does not say it itself: none may give an old one without asking. */
export const ASK_FIRST = { 'Cache-Control': 'no-cache' } as const;

const COMMON = Object.entries(COMMON_HEADERS).flat();

/** Writes `answer` as it stands: no charset, no second ETag, nothing that Express would add. */
export function writeAnswer(response: RegistryResponse, { status, text, headers }: Answer): void {
  const all = headOf(response, headers);
  if (text === undefined) {
    response.writeHead(status, all).end();
  } else {
    const isIndented = QUERY_PARAMETERS.opt_pretty.read(targetOf(response.req).query);
    const body = chunkOf(isIndented ? mapText(text, indentJson) : text);
    response.workBytes += body.length;
    all.push('Content-Type', 'application/json', 'Content-Length', String(body.length));
    // Node leaves the bytes away for HEAD by itself.
    response.writeHead(status, all).end(body, 'latin1');
  }
  for (const act of response.whenAnswered) act();
}

/** Writes `answer` as it stands. */
export function writePage(response: RegistryResponse, { status, body, mediaType, headers }: PageAnswer): void {
  const all = headOf(response, headers);
  response.workBytes += body?.length ?? 0;
  if (body !== undefined) all.push('Content-Type', mediaType, 'Content-Length', String(body.length));
  response.writeHead(status, all).end(body);
  for (const act of response.whenAnswered) act();
}

/** Sends `answer` as fast as the client takes it. */
export function streamAnswer(response: RegistryResponse, { status, stream, headers }: StreamedAnswer): void {
  response.writeHead(status, headOf(response, headers));
  if (response.req.method === 'HEAD') {
    stream.destroy();
    response.end();
  } else {
    // Whoever ends first, the other is ended too: a client sees that the end is missing.
    pipeline(stream, response, () => undefined);
  }
  for (const act of response.whenAnswered) act();
}

/** A list of names and values: an object put together for each answer would cost as much as all of Node's work on it. */
function headOf(response: RegistryResponse, headers: Readonly<Record<string, string>>): string[] {
  const all = [...COMMON, 'X-Request-ID', requestIdOf(response.req)];
  if (headers['Cache-Control'] === undefined) all.push('Cache-Control', ASK_FIRST['Cache-Control']);
  for (const name of Object.keys(headers)) all.push(name, headers[name] as string);
  return all;
}
