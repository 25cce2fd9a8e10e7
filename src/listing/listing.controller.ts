import { Controller, Get, Req } from '@nestjs/common';
import { VERSION } from '../config/version.js';
import { SingleFlights } from '../feed/single-flight.js';
import { type Answer, TaggedAnswer } from '../http/answer.js';
import { digestOf } from '../http/encoding.js';
import { apiPaths } from '../http/api-paths.js';
import type { RegistryRequest } from '../http/exchange.js';
import { Origins } from '../http/origin.js';
import { targetOf } from '../http/request-head.js';
import { EncodedText } from '../text/encoded-text.js';
import { RegistryTime } from '../time/registry-time.js';
import { needsAssets, printEntry } from './entry.js';
import { FeedPages } from './feed-pages.js';
import { type ListingQuery, listingQueryOf, printLinks, rangeOf } from './paging.js';

/** The header Backoff: a reader that asks once in so many seconds is no burden. */
const SAFE_POLLING_SECONDS = '300';

/** The part of a page that is the same for everyone who asks for it. */
interface PrintedPage {
  epoch: string;
  /** dateModified of the first and the last entry; undefined on an empty page. */
  first: string | undefined;
  last: string | undefined;
  /** A digest of those of all entries. */
  instants: string;
  /** The entries, with commas between them. */
  data: EncodedText;
}

/** The listing, which is the change feed. Source: contract section 6. */
@Controller(apiPaths('assets'))
export class ListingController {
  private readonly pages = new SingleFlights<PrintedPage>();

  constructor(
    private readonly feed: FeedPages,
    private readonly time: RegistryTime,
    private readonly origins: Origins,
  ) {}

  @Get()
  async list(@Req() request: RegistryRequest): Promise<Answer> {
    const query = listingQueryOf(targetOf(request).query, this.time);
    const from = this.origins.of(request);
    const { offset = '' } = query;
    const { epoch, first, last, data, instants } = await this.pages.read(keyOf(query), () => this.print(query));
    const links = printLinks(from, query, first ?? offset, last ?? offset);
    const headers: Record<string, string> = { Link: links.header, 'Feed-Epoch': epoch };
    if (first === undefined) headers['Backoff'] = SAFE_POLLING_SECONDS;
    const text = data.map((entries) => `{${links.members},"data":[${entries}]}`);
    // The links repeat the query. An asset is another one only at another instant, or printed by another version.
    return new TaggedAnswer(text, headers, digestOf(VERSION + epoch + instants + links.members));
  }

  private print(query: ListingQuery): Promise<PrintedPage> {
    const { fields } = query;
    return this.feed.read({ ...rangeOf(query), whole: needsAssets(fields) }, ({ epoch, entries }) => {
      const [first, last] = [entries[0], entries.at(-1)];
      return {
        epoch,
        first: first && this.time.print(first.modifiedUs),
        last: last && this.time.print(last.modifiedUs),
        instants: digestOf(instantsOf(entries)),
        data: EncodedText.join(
          entries.map((entry) => printEntry(entry, fields, this.time)),
          ',',
        ),
      };
    });
  }
}

/** By a loop: `Float64Array.from` takes several times as long. */
function instantsOf(entries: readonly { modifiedUs: number }[]): Float64Array {
  const instants = new Float64Array(entries.length);
  for (const [i, { modifiedUs }] of entries.entries()) instants[i] = modifiedUs;
  return instants;
}

/** A key that is the same for queries that ask for the same entries, however they are written. */
function keyOf({ sent: _sent, offset: _offset, ...asked }: ListingQuery): string {
  return JSON.stringify(asked);
}
