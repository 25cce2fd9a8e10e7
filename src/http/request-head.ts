import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import {
  headTooLarge,
  malformedHeader,
  malformedHost,
  malformedParameter,
  malformedUrl,
  repeatedHeader,
  repeatedParameter,
} from '../errors/errors.js';
import { targetOf } from './request-target.js';

const SINGLE_HEADERS = ['Authorization', 'X-Access-Token', 'Content-Type', 'Host'];
const SINGLE_PARAMETERS = ['offset', 'limit', 'acc_token', 'opt_fields'];
/** Of a Host, which every link repeats; a name of the DNS has 253 characters at most. */
const LONGEST_HOST = 261;
const HOST = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;
/** Given twice, Node joins the values with a space between them, which is refused. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;
/** Node drops header fields beyond this number without a word, an Authorization among them. */
export const MOST_HEADERS = 100;

/** The first check of every request, before any route is looked up: URL, query and headers. Source: contract section 8, the 400s. */
export function checkRequestHead(request: Request, _response: Response, next: NextFunction): void {
  checkUrl(request);
  checkHeaders(request);
  next();
}

/** A request line may carry the whole URL, as proxies send it; only its path and query matter here. */
export function withoutAuthority(url: string): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '');
  return path.startsWith('/') || path === '*' ? path : `/${path}`;
}

function checkUrl(request: IncomingMessage): void {
  const { path, query } = targetOf(request);
  if (!isEncodedText(path)) throw malformedUrl();
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

function checkHeaders(request: IncomingMessage): void {
  if (request.rawHeaders.length >= 2 * MOST_HEADERS) throw headTooLarge();
  const counts = countHeaders(request.rawHeaders);
  for (const name of SINGLE_HEADERS) {
    if ((counts.get(name.toLowerCase()) ?? 0) > 1) throw repeatedHeader(name);
  }
  const { host, 'idempotency-key': idempotencyKey } = request.headers;
  if (request.method === 'POST' && idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(String(idempotencyKey))) {
    throw malformedHeader('Idempotency-Key', '1 to 128 visible ASCII characters are required');
  }
  if (host === undefined ? request.httpVersion !== '1.0' : !isHost(host)) throw malformedHost();
}

function isHost(host: string): boolean {
  return host.length <= LONGEST_HOST && HOST.test(host);
}

function countHeaders(rawHeaders: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
