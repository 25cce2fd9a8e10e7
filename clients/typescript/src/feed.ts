import { EpochChanged } from './errors.js';
import type { Page } from './page.js';
import { checkLeadsOn } from './read-answer.js';
import type { FeedFilter } from './search.js';

/** The most entries that the registry puts on a page. */
const MAX_ENTRIES = 1_000;

export interface PageOptions {
  /** The entries after this one; before it where `descending`. */
  offset?: string;
  /** Of entries: 1 to 1000; the registry's default (100) unless given. */
  limit?: number;
  /** Top-level fields that each entry has beside `id` and `dateModified`, or `*` for whole assets. */
  fields?: readonly string[] | '*';
  /** The newest first. */
  descending?: boolean;
}

export interface FeedOptions {
  /** The offset to begin after: the feed's beginning unless given. */
  from?: string;
  fields?: readonly string[] | '*';
  /** Entries of a page: 1 to 1000, and 1000 unless given. */
  limit?: number;
  /** Waits for more at the end of the feed, until the signal. */
  follow?: boolean;
  /** Only changes after which the asset fits. What ceases to fit is not told. Needs the registry's search. */
  filter?: FeedFilter;
  /** The history that `from` belongs to; that of the first page unless given. */
  epoch?: string;
}

/** The query of a page. */
export function pageQuery({ offset, limit, fields, descending }: PageOptions): Record<string, string> {
  return {
    ...(offset !== undefined && { offset }),
    ...(limit !== undefined && { limit: String(limit) }),
    ...(fields !== undefined && { opt_fields: fields === '*' ? fields : fields.join(',') }),
    ...(descending && { descending: '1' }),
  };
}

/** How pages are come by. */
export interface PageSource {
  page: (options: PageOptions & { signal: AbortSignal }) => Promise<Page>;
  /** What follows an empty page, when it is time for it. */
  pageAfter: (empty: Page, options: PageOptions & { signal: AbortSignal }) => Promise<Page>;
}

/** Reads the feed page by page; after a full one the next is asked for before it is wanted. */
export async function* followPages(
  { page: read, pageAfter }: PageSource,
  {
    from = '',
    fields,
    limit = MAX_ENTRIES,
    follow,
    epoch,
    signal: given,
  }: FeedOptions & { signal?: AbortSignal | undefined },
): AsyncGenerator<Page, void, undefined> {
  const over = new AbortController();
  const signal = given === undefined ? over.signal : AbortSignal.any([given, over.signal]);
  const size = Math.min(limit, MAX_ENTRIES);
  const asked = (offset: string) => ({ offset, limit: size, ...(fields && { fields }), signal });
  let expected = epoch;
  let next: Promise<Page> | undefined;
  try {
    for (let offset = from; ;) {
      const page = await (next ?? read(asked(offset)));
      signal.throwIfAborted();
      next = undefined;
      expected ??= page.epoch;
      if (page.epoch !== expected) throw new EpochChanged(expected, page.epoch);
      if (page.entries.length > 0) {
        checkLeadsOn(offset, page.nextOffset);
        offset = page.nextOffset;
        if (page.entries.length === size) next = ahead(read(asked(offset)));
        yield page;
      } else if (follow) next = pageAfter(page, asked(offset));
      else return;
    }
  } finally {
    over.abort();
  }
}

/** That it fails is told when the page is wanted, if it ever is. */
function ahead(page: Promise<Page>): Promise<Page> {
  page.catch(() => undefined);
  return page;
}
