import { Answer } from './answer.js';

const CLIENT_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Access-Token, X-Request-ID';

/** The answer to OPTIONS, a browser's preflight among them. Source: contract section 9. */
export function allowing(methods: string): Answer {
  return new Answer(204, undefined, {
    Allow: methods,
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': CLIENT_HEADERS,
    'Access-Control-Max-Age': '86400',
  });
}
