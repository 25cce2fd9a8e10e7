import { Answer } from './answer.js';

const CLIENT_HEADERS =
  'Authorization, Cache-Control, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Last-Event-ID, Pragma, Range, X-Access-Token, X-Request-ID, X-Requested-With';

/** How Allow names the methods that a path may have, in this order. */
const NAMED = { GET: 'GET, HEAD', POST: 'POST', PATCH: 'PATCH' };

/** The value of Allow. @param served a path's methods; HEAD and OPTIONS follow from them */
export function allowed(served: Iterable<string>): string {
  const methods = new Set(served);
  const named = Object.entries(NAMED).flatMap(([method, text]) => (methods.has(method) ? [text] : []));
  return [...named, 'OPTIONS'].join(', ');
}

/** The answer to OPTIONS of a path, also to a browser's preflight. Source: contract section 9. */
export function allowing(served: Iterable<string>): Answer {
  const methods = allowed(served);
  return new Answer(204, undefined, {
    Allow: methods,
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': CLIENT_HEADERS,
    'Access-Control-Max-Age': '86400',
  });
}
