/** Paths of HTML pages, and paths at which people look for them. */
const PAGES = /^\/(?:$|assets(?:\/|$)|(?:changes\.atom|sitemap\.xml|statistics|accessibility|about)$)/;

/** Whether a path is one of the pages' rather than the API's. @param path without query */
export function isPagePath(path: string): boolean {
  return PAGES.test(path);
}
