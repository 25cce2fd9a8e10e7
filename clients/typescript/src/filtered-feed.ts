import type { CallOptions } from './calls.js';
import type { Reply, Sent } from './connection.js';
import type { EndOfFeed } from './end-of-feed.js';
import type { PageOptions } from './feed.js';
import { Page } from './page.js';
import { objectIn } from './read-answer.js';
import { ASSETS } from './requests.js';
import { type FeedFilter, searchQuery } from './search.js';

type Asked = PageOptions & { signal: AbortSignal | undefined };

/** The filtered feed, page by page. */
export interface FilteredPages {
  page(options: PageOptions & CallOptions): Promise<Page>;
  /** The page after an empty one, which may be empty too, as soon as something comes or after a pause. */
  pageAfterEnd(empty: Page, options: PageOptions & CallOptions): Promise<Page>;
}

/** The feed of what fits a filter: the search in the order of the feed. */
export class FilteredFeed {
  /** How far the registry's search had followed the feed when it answered last. */
  #indexedUpTo = '';
  /** The change that reading began after: its `dateModified`, or empty. */
  #from = '';
  /** Where the search goes on after its last page. */
  #next = '';

  constructor(
    private readonly read: (sent: Sent, parse: (reply: Reply) => Page) => Promise<Page>,
    private readonly end: EndOfFeed,
    private readonly filter: FeedFilter,
  ) {}

  /** @param options.offset `nextOffset` of the page before, or the `dateModified` of any change that was handed out before */
  readonly page = async (options: Asked): Promise<Page> => {
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

  /** After an empty one: when the feed has something that the search had not seen, else after a pause. */
  readonly pageAfter = async (empty: Page, options: Asked): Promise<Page> => {
    await this.end.pageAfter(empty, { offset: this.#indexedUpTo, limit: 1, signal: options.signal });
    return this.page(options);
  };
}
