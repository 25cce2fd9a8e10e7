import type { JsonObject } from './assets.js';
import { retryUnavailable } from './retry-unavailable.js';
import type { Sender } from './registry.js';

export type Entry = JsonObject & { id: string; dateModified: string };

interface PageLink {
  offset: string;
  path: string;
  uri: string;
}

/** A page of the listing, or of another paged list. */
export interface Page<T = Entry> {
  next_page: PageLink;
  prev_page?: PageLink;
  data: T[];
}

/** @throws Error if the answer is not 200 */
export async function readPage<T = Entry>(registry: Sender, path: string): Promise<Page<T>> {
  const { status, text, json } = await retryUnavailable(() => registry.send(path));
  if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`);
  return json;
}

/** Reads every entry from `path` on, as synchronisers do: until a page is empty that was requested after `more` returned false. */
export async function follow<T = Entry>(registry: Sender, path: string, more = (): boolean => false): Promise<T[]> {
  const seen: T[] = [];
  let next = path;
  for (;;) {
    const expectsMore = more();
    const page = await readPage<T>(registry, next);
    seen.push(...page.data);
    if (page.data.length === 0 && !expectsMore) return seen;
    next = page.next_page.path;
  }
}
