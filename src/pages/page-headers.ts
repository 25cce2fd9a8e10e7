import type { PageContext } from './page-context.js';

export const HTML_TYPE = 'text/html; charset=utf-8';

/** Only our style, images and form; no script. `connect-src` lets auditing tools fetch further pages of this host. */
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
  // The page of an asset links back to the list. Other sites get no referrer, because the address of a draft is enough to see it.
  'Referrer-Policy': 'same-origin',
  Vary: 'Accept, Accept-Language',
};

/** Headers of all pages, including errors. */
export function htmlHeaders({ language }: Pick<PageContext, 'language'>): Record<string, string> {
  return { ...HTML_HEADERS, 'Content-Language': language };
}
