import type { PageContext } from './page-context.js';

export const HTML_TYPE = 'text/html; charset=utf-8';

/** Nothing but our own style, picture and form: no script at all. Tools that look at a page ask for more of this host on its behalf. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HTML_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  // Our own pages lead back to where a visitor came from. Other sites learn nothing: the address of a draft's page is all that one needs to see it.
  'Referrer-Policy': 'same-origin',
  Vary: 'Accept, Accept-Language',
};

/** Headers of every page, also of one that tells of an error. */
export function htmlHeaders({ language }: Pick<PageContext, 'language'>): Record<string, string> {
  return { ...HTML_HEADERS, 'Content-Language': language };
}
