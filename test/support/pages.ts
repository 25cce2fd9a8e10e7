import type { JsonObject } from './assets.js';
import type { TestRegistry } from './registry.js';

export type Entry = JsonObject & { id: string; dateModified: string };

interface PageLink {
  offset: string;
  path: string;
  uri: string;
}

/** A page of the listing. */
export interface Page {
  next_page: PageLink;
  prev_page?: PageLink;
  data: Entry[];
}

/** Every entry from `path` on, read as synchronisers do: until a page is empty that was asked for when `more` was over. */
export async function follow(registry: TestRegistry, path: string, more = (): boolean => false): Promise<Entry[]> {
  const seen: Entry[] = [];
  let next = path;
  for (;;) {
    const expectsMore = more();
    const page: Page = (await registry.send(next)).json;
    seen.push(...page.data);
    if (page.data.length === 0 && !expectsMore) return seen;
    next = page.next_page.path;
  }
}
