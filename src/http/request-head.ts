import { randomUUID } from 'node:crypto';
import {
  headTooLarge,
  malformedHeader,
  malformedHost,
  malformedParameter,
  malformedUrl,
  repeatedHeader,
  repeatedParameter,
} from '../errors/errors.js';
import type { RegistryRequest, RegistryResponse } from './exchange.js';
import { SINGLE_PARAMETERS } from './query-parameters.js';
import { targetOf } from './request-target.js';

/** Headers that may be sent once only, by their names in lower case. */
const SINGLE_HEADERS = new Map(
  ['Authorization', 'X-Access-Token', 'Content-Type', 'Host'].map((name) => [name.toLowerCase(), name]),
);
/** The longest Host, in characters: a DNS name has 253 at most. Every link repeats it. */
const LONGEST_HOST = 261;
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;
/** Two such headers are refused as well: Node joins their values with a space. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;
/** Node silently drops header fields beyond this number, perhaps an Authorization. */
export const MOST_HEADERS = 100;

/** The first check of every request, before any route is looked up: URL, query and headers. Source: contract section 8, the 400s. */
export function checkRequestHead(request: RegistryRequest, _response: RegistryResponse, next: () => void): void {
  checkUrl(request);
  checkHeaders(request);
  next();
}

const AUTHORITY = /^https?:\/\/([^/?#]+)/i;

/**
 * A request line may carry a whole URL, as proxies send it. Then its authority (host and port) counts in the place of the Host header, and
 * the rest is the target. A URL without an authority is taken as a path. Source: RFC 9112, 3.2.2.
 */
export function splitAuthority(request: Pick<RegistryRequest, 'url' | 'authority'>): void {
  const [whole = '', authority] = AUTHORITY.exec(request.url) ?? [];
  const path = request.url.slice(whole.length);
  request.authority = authority;
  request.url = path.startsWith('/') || path === '*' ? path : `/${path}`;
}

function checkUrl(request: RegistryRequest): void {
  const { path, query } = targetOf(request);
  if (path.includes('%') && !isEncodedText(path)) throw malformedUrl();
  if (query.parameters.length === 0) return;
  for (const name of SINGLE_PARAMETERS) {
    const sent = query.all(name);
    if (sent.length > 1) throw repeatedParameter(name);
    if (sent[0]?.wellFormed === false) throw malformedParameter(name, 'The value is not percent-encoded UTF-8');
  }
}

function isEncodedText(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function checkHeaders(request: RegistryRequest): void {
  if (request.rawHeaders.length >= 2 * MOST_HEADERS) throw headTooLarge();
  checkRepetition(request.rawHeaders);
  const { host, 'idempotency-key': idempotencyKey } = request.headers;
  if (request.method === 'POST' && idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(String(idempotencyKey))) {
    throw malformedHeader('Idempotency-Key', '1 to 128 visible ASCII characters are required');
  }
  if (host === undefined ? request.httpVersion !== '1.0' : !isHost(host)) throw malformedHost();
  if (request.authority !== undefined && !isHost(request.authority)) throw malformedUrl();
}

function isHost(host: string): boolean {
  return host.length <= LONGEST_HOST && HOST.test(host);
}

function checkRepetition(rawHeaders: readonly string[]): void {
  const seen: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = SINGLE_HEADERS.get((rawHeaders[i] as string).toLowerCase());
    if (name === undefined) continue;
    if (seen.includes(name)) throw repeatedHeader(name);
    seen.push(name);
  }
}

const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The client's X-Request-ID where it is 1 to 128 letters, digits and `._:-`, else a new one. A request keeps the same one. */
export function requestIdOf(
  request: Pick<RegistryRequest, 'headers'> & Partial<Pick<RegistryRequest, 'requestId'>>,
): string {
  request.requestId ??= acceptable(request.headers['x-request-id']) ?? randomUUID();
  return request.requestId;
}

function acceptable(sent: string | string[] | undefined): string | undefined {
  return typeof sent === 'string' && ACCEPTABLE.test(sent) ? sent : undefined;
}
