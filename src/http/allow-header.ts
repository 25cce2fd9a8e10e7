import { Answer } from './answer.js';

const CLIENT_HEADERS =
  'Authorization, Cache-Control, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Last-Event-ID, Pragma, Range, X-Access-Token, X-Request-ID, X-Requested-With';

/** Order of the methods in Allow; others follow. */
const ORDER = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'];

/** The Allow header of a path. @param served its methods; GET implies HEAD, and any method OPTIONS */
export function allowHeader(served: Iterable<string>): string {
  const methods = new Set(served);
  if (methods.has('GET')) methods.add('HEAD');
  methods.delete('OPTIONS');
  const named = ORDER.filter((method) => methods.delete(method));
  return [...named, ...methods, 'OPTIONS'].join(', ');
}

/** The answer to OPTIONS, including a browser's preflight. Source: contract section 9. */
export function optionsAnswer(served: Iterable<string>): Answer {
  const methods = allowHeader(served);
  return new Answer(204, undefined, {
    Allow: methods,
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': CLIENT_HEADERS,
    'Access-Control-Max-Age': '86400',
  });
}
