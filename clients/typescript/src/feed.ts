import { EpochChanged } from './errors.js';
import type { Page } from './page.js';
import { assertAdvances } from './read-answer.js';
import type { FeedFilter } from './search.js';

/** Maximum entries per page of the registry. */
const MAX_ENTRIES = 1_000;

export interface PageOptions {
  /** The page has the entries after this one; before it if `descending`. */
  offset?: string;
  /** Entries per page: 1 to 1000, default 100. */
  limit?: number;
  /** Top-level fields of each entry in addition to `id` and `dateModified`, or `*` for whole assets. */
  fields?: readonly string[] | '*';
  /** Newest first. */
  descending?: boolean;
}

export interface FeedOptions {
  /** The offset to begin after; by default the beginning of the feed. */
  from?: string;
  fields?: readonly string[] | '*';
  /** Entries per page: 1 to 1000, default 1000. */
  limit?: number;
  /** Waits for more at the end of the feed, until the signal. */
  follow?: boolean;
  /** Only changes after which the asset matches; assets that stop matching are not reported. Needs the registry's search. */
  filter?: FeedFilter;
  /** The epoch that `from` belongs to; by default that of the first page. */
  epoch?: string;
}

/** The query parameters of a page. */
export function pageQuery({ offset, limit, fields, descending }: PageOptions): Record<string, string> {
  return {
    ...(offset !== undefined && { offset }),
    ...(limit !== undefined && { limit: String(limit) }),
    ...(fields !== undefined && { opt_fields: fields === '*' ? fields : fields.join(',') }),
    ...(descending && { descending: '1' }),
  };
}

/** Reads pages. */
export interface PageSource {
  page: (options: PageOptions & { signal: AbortSignal }) => Promise<Page>;
  /** The page after an empty one, after waiting. */
  pageAfter: (empty: Page, options: PageOptions & { signal: AbortSignal }) => Promise<Page>;
}

/** Reads the feed page by page; while a full page is processed, the next one is prefetched. */
export async function* followPages(
  { page: read, pageAfter }: PageSource,
  {
    from = '',
    fields,
    limit = MAX_ENTRIES,
    follow,
    epoch,
    signal: callerSignal,
  }: FeedOptions & { signal?: AbortSignal | undefined },
): AsyncGenerator<Page, void, undefined> {
  const ended = new AbortController();
  const signal = callerSignal === undefined ? ended.signal : AbortSignal.any([callerSignal, ended.signal]);
  const size = Math.min(limit, MAX_ENTRIES);
  const pageOptions = (offset: string) => ({ offset, limit: size, ...(fields && { fields }), signal });
  let expected = epoch;
  let next: Promise<Page> | undefined;
  try {
    for (let offset = from; ;) {
      const page = await (next ?? read(pageOptions(offset)));
      signal.throwIfAborted();
      next = undefined;
      expected ??= page.epoch;
      if (page.epoch !== expected) throw new EpochChanged(expected, page.epoch);
      if (page.entries.length > 0) {
        assertAdvances(offset, page.nextOffset);
        offset = page.nextOffset;
        if (page.entries.length === size) next = prefetched(read(pageOptions(offset)));
        yield page;
      } else if (follow) next = pageAfter(page, pageOptions(offset));
      else return;
    }
  } finally {
    ended.abort();
  }
}

/** Defers the error of a prefetch until its page is awaited, if ever. */
function prefetched(page: Promise<Page>): Promise<Page> {
  page.catch(() => undefined);
  return page;
}
