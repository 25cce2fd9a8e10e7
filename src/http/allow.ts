import { Answer } from './answer.js';

const CLIENT_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Access-Token, X-Request-ID';

/** What is told of each method that a path may have, in this order. */
const TOLD = { GET: 'GET, HEAD', POST: 'POST', PATCH: 'PATCH' };

/**
 * The answer to OPTIONS of a path, a browser's preflight among them. Source: contract section 9.
 * @param taken the path's methods; HEAD and OPTIONS follow from them
 */
export function allowing(taken: readonly string[]): Answer {
  const told = Object.entries(TOLD).flatMap(([method, text]) => (taken.includes(method) ? [text] : []));
  const methods = [...told, 'OPTIONS'].join(', ');
  return new Answer(204, undefined, {
    Allow: methods,
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': CLIENT_HEADERS,
    'Access-Control-Max-Age': '86400',
  });
}
