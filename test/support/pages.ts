import type { JsonObject } from './assets.js';
import { patiently } from './patience.js';
import type { Sender } from './registry.js';

export type Entry = JsonObject & { id: string; dateModified: string };

interface PageLink {
  offset: string;
  path: string;
  uri: string;
}

/** A page of the listing, or of another list that goes on. */
export interface Page<T = Entry> {
  next_page: PageLink;
  prev_page?: PageLink;
  data: T[];
}

/** @throws where there is no page */
export async function readPage<T = Entry>(registry: Sender, path: string): Promise<Page<T>> {
  const { status, text, json } = await patiently(() => registry.send(path));
  if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`);
  return json;
}

/** Every entry from `path` on, read as synchronisers do: until a page is empty that was asked for when `more` was over. */
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
