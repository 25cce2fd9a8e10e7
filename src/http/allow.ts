import { Answer } from './answer.js';

const CLIENT_HEADERS =
  'Authorization, Cache-Control, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Last-Event-ID, Pragma, Range, X-Access-Token, X-Request-ID, X-Requested-With';

/** What is told of each method that a path may have, in this order. */
const TOLD = { GET: 'GET, HEAD', POST: 'POST', PATCH: 'PATCH' };

/** The value of Allow. @param taken a path's methods; HEAD and OPTIONS follow from them */
export function allowed(taken: Iterable<string>): string {
  const methods = new Set(taken);
  const told = Object.entries(TOLD).flatMap(([method, text]) => (methods.has(method) ? [text] : []));
  return [...told, 'OPTIONS'].join(', ');
}

/** The answer to OPTIONS of a path, a browser's preflight among them. Source: contract section 9. */
export function allowing(taken: Iterable<string>): Answer {
  const methods = allowed(taken);
  return new Answer(204, undefined, {
    Allow: methods,
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': CLIENT_HEADERS,
    'Access-Control-Max-Age': '86400',
  });
}
