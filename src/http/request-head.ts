import { randomUUID } from 'node:crypto';
import {
  expectationRefused,
  headTooLarge,
  malformedHeader,
  malformedHost,
  malformedParameter,
  malformedRequest,
  malformedUrl,
  repeatedHeader,
  repeatedParameter,
} from '../platform/errors/errors.js';
import type { RegistryRequest } from './request.js';
import { targetOf } from './request-target.js';

/** Headers that may be sent once only, by their names in lower case. */
const SINGLE_HEADERS = new Map(
  ['Authorization', 'X-Access-Token', 'Content-Type', 'Host'].map((name) => [name.toLowerCase(), name]),
);
/** Parameters that no request may repeat or encode wrongly; checked in this order. */
const SINGLE_PARAMETERS = ['offset', 'limit', 'acc_token', 'opt_fields', 'wait'];
/** Maximum characters of Host, which every link repeats; a DNS name has at most 253. */
const MAX_HOST = 261;
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;
/** Refuses two such headers as well, because Node joins their values with a space. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;
/** Node silently drops header fields beyond this number, perhaps an Authorization. */
export const MAX_HEADERS = 100;

/** The first check of every request, before any route is looked up: URL, query and headers. Source: contract section 8, the 400s. */
export function checkRequestHead(request: RegistryRequest): void {
  checkUrl(request);
  checkHeaders(request);
}

const AUTHORITY = /^https?:\/\/([^/?#]+)/i;

/**
 * A request line may contain an absolute URL, as proxies send it. Then its authority (host and port) counts instead of the Host header, and
 * the rest is the target. A URL without an authority counts as a path. Source: RFC 9112, 3.2.2.
 */
export function splitAuthority(request: Pick<RegistryRequest, 'url' | 'authority'>): void {
  if (request.url.startsWith('/')) return;
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
  if (request.rawHeaders.length >= 2 * MAX_HEADERS) throw headTooLarge();
  checkRepetition(request.rawHeaders);
  const { host, 'idempotency-key': idempotencyKey, 'transfer-encoding': coding = 'chunked' } = request.headers;
  // For "gzip, chunked" Node decodes the chunks only, and the body would stay compressed.
  if (coding.toLowerCase() !== 'chunked') throw malformedRequest();
  if (request.method === 'POST' && idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(String(idempotencyKey))) {
    throw malformedHeader('Idempotency-Key', '1 to 128 visible ASCII characters are required');
  }
  if (host === undefined ? request.httpVersion !== '1.0' : !isHost(host)) throw malformedHost();
  if (request.authority !== undefined && !isHost(request.authority)) throw malformedUrl();
}

/** Whether links can contain this host; not with port 65536, for example. */
function isHost(host: string): boolean {
  return host.length <= MAX_HOST && HOST.test(host) && URL.canParse(`http://${host}`);
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

/** @throws ApiError 417 for an Expect that is not 100-continue */
export function checkExpectation(request: RegistryRequest): void {
  if (request.headers.expect !== undefined && !expectsContinue(request)) throw expectationRefused();
}

export function expectsContinue({ headers }: Pick<RegistryRequest, 'headers'>): boolean {
  return headers.expect?.trim().toLowerCase() === '100-continue';
}

const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The client's X-Request-ID if it is 1 to 128 letters, digits and `._:-`, else a new one, which stays the same for the request. */
export function requestIdOf(
  request: Pick<RegistryRequest, 'headers'> & Partial<Pick<RegistryRequest, 'requestId'>>,
): string {
  request.requestId ??= acceptable(request.headers['x-request-id']) ?? randomUUID();
  return request.requestId;
}

function acceptable(sent: string | string[] | undefined): string | undefined {
  return typeof sent === 'string' && ACCEPTABLE.test(sent) ? sent : undefined;
}

/** Whether an If-None-Match header names `etag`: a list or `*`, compared weakly (RFC 9110, 13.1.2). */
export function isNoneMatch(header: string | undefined, etag: string): boolean {
  return listed(header).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag);
}

/** Whether an If-Match header permits a change of `etag`: absent, `*`, or a list with it, compared strongly. */
export function isMatch(header: string | undefined, etag: string): boolean {
  if (header === undefined) return true;
  return listed(header).some((tag) => tag === '*' || tag === etag);
}

/** The entity tags of a list; `*` must be alone. */
function listed(header: string | undefined): string[] {
  return header?.match(/^\*$|(?:W\/)?"[^"]*"/g) ?? [];
}

/**
 * Whether an Accept header names a media type and ranks it above JSON; a client that accepts anything gets JSON. Source: RFC 9110, 12.5.1.
 * @param mediaType in lower case
 */
export function prefers(mediaType: string, accept = ''): boolean {
  if (accept === '') return false;
  const qualities = new Map(accept.toLowerCase().split(',').map(qualityOf));
  const ofJson = ['application/json', 'application/*', '*/*'].map((range) => qualities.get(range));
  return (qualities.get(mediaType) ?? 0) > (ofJson.find((quality) => quality !== undefined) ?? 0);
}

function qualityOf(element: string): [range: string, quality: number] {
  const [range = '', ...parameters] = element.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return [range, quality === undefined ? 1 : Number(quality.slice('q='.length)) || 0];
}
