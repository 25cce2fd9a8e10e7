import type { CallOptions } from './calls.js';
import type { Reply, Sent } from './connection.js';
import type { EndOfFeed } from './end-of-feed.js';
import type { PageOptions } from './feed.js';
import { Page } from './page.js';
import { objectIn } from './read-answer.js';
import { ASSETS } from './requests.js';
import { type FeedFilter, searchQuery } from './search.js';

type PageRequest = PageOptions & { signal: AbortSignal | undefined };

/** Reads the filtered feed page by page. */
export interface FilteredPages {
  page(options: PageOptions & CallOptions): Promise<Page>;
  /** The page after an empty one, as soon as a change comes or after a pause; it may be empty too. */
  pageAfterEnd(empty: Page, options: PageOptions & CallOptions): Promise<Page>;
}

/** The feed of matching assets: the search, sorted in the order of the feed. */
export class FilteredFeed {
  /** How far the search index had followed the feed at the last answer. */
  #indexedUpTo = '';
  /** The `dateModified` after which reading began, or empty. */
  #from = '';
  /** The offset of the next page of the search. */
  #next = '';

  constructor(
    private readonly read: (sent: Sent, parse: (reply: Reply) => Page) => Promise<Page>,
    private readonly end: EndOfFeed,
    private readonly filter: FeedFilter,
  ) {}

  /** @param options.offset `nextOffset` of the previous page, or the `dateModified` of a yielded change */
  readonly page = async (options: PageRequest): Promise<Page> => {
    const { offset = '', signal, descending: _, ...others } = options;
    const isFirst = offset === '' || offset !== this.#next;
    if (isFirst) this.#from = offset;
    const from = this.#from;
    const query = searchQuery({
      ...this.filter,
      ...others,
      sort: 'dateModified',
      ...(from !== '' && { modifiedFrom: from }),
      ...(!isFirst && { offset }),
    });
    const page = await this.read({ method: 'GET', path: `${ASSETS}/search`, query, signal }, (reply) => {
      this.#indexedUpTo = String(objectIn(reply.text)['indexed_up_to']);
      return new Page(reply, isFirst ? from : undefined);
    });
    this.#next = page.nextOffset;
    const hadOnlyFirst = page.entries.length === 0 && isFirst && page.nextOffset !== '';
    return hadOnlyFirst ? this.page({ ...options, offset: page.nextOffset }) : page;
  };

  /** Waits until the feed has a change beyond the search index, or for a pause. */
  readonly pageAfter = async (empty: Page, options: PageRequest): Promise<Page> => {
    await this.end.pageAfter(empty, { offset: this.#indexedUpTo, limit: 1, signal: options.signal });
    return this.page(options);
  };
}
