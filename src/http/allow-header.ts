import { Answer } from './answer.js';

const CLIENT_HEADERS =
  'Authorization, Cache-Control, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Last-Event-ID, Pragma, Range, X-Access-Token, X-Request-ID, X-Requested-With';

/** The order in which Allow names the methods; others follow. */
const ORDER = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'];

/** The value of Allow. @param served a path's methods; HEAD follows from GET, and OPTIONS from any */
export function allowed(served: Iterable<string>): string {
  const methods = new Set(served);
  if (methods.has('GET')) methods.add('HEAD');
  methods.delete('OPTIONS');
  const named = ORDER.filter((method) => methods.delete(method));
  return [...named, ...methods, 'OPTIONS'].join(', ');
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
