import { Controller, Get, Inject, Optional, Req, Res } from '@nestjs/common';
import type { Requester } from '../platform/concurrency/semaphore.js';
import { VERSION } from '../platform/config/version.js';
import type { FeedPage } from '../feed/reading/exact-feed.js';
import { SingleFlights } from '../platform/concurrency/single-flight.js';
import { type Answer, TaggedAnswer } from '../http/answer.js';
import { contentDigest } from '../http/encoding.js';
import { apiPaths } from '../http/api-paths.js';
import type { EventStreamAnswer } from '../http/event-stream.js';
import { type Caller, callerOf } from '../http/caller.js';
import { Origins } from '../http/origins.js';
import type { RegistryRequest, RegistryResponse } from '../http/request.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import { targetOf } from '../http/request-target.js';
import { EncodedText, enclosed } from '../platform/text/encoded-text.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import {
  FeedPages,
  needsAssets,
  entryPrinter,
  type ListingQuery,
  listingQueryOf,
  printLinks,
  rangeOf,
  lastEventUs,
  wantsEvents,
} from './feed-pages.js';
import { LIVE_UPDATES, type LiveUpdates, type WaitingRequest } from './live-updates.js';

/** The header Backoff: a polling interval that causes negligible load. */
const SAFE_POLLING_SECONDS = '300';

/** The part of a page that is shared by all requests for it. */
interface PrintedPage {
  epoch: string;
  /** dateModified of the first and the last entry; undefined on an empty page. */
  first: string | undefined;
  last: string | undefined;
  /** A digest of the instants of all entries. */
  instants: string;
  /** The entries, separated by commas. */
  data: EncodedText;
}

/** The listing, which is the change feed. Source: contract sections 6 and 12. */
@Controller(apiPaths('assets'))
export class ListingController {
  private readonly pages = new SingleFlights<PrintedPage>();

  constructor(
    private readonly feed: FeedPages,
    private readonly time: RegistryTime,
    private readonly origins: Origins,
    @Optional() @Inject(LIVE_UPDATES) private readonly live?: LiveUpdates,
  ) {}

  @Get()
  async list(
    @Req() request: RegistryRequest,
    @Res({ passthrough: true }) response: RegistryResponse,
  ): Promise<Answer | EventStreamAnswer> {
    const { query: sent } = targetOf(request);
    const query = listingQueryOf(sent, this.time);
    if (this.live !== undefined && wantsEvents(request)) {
      const afterUs = lastEventUs(request, this.time) ?? afterUsOf(query);
      return this.live.follow({ request, caller: callerOf(response), afterUs }, query.fields);
    }
    const waitMs = QUERY_PARAMETERS.wait.read(sent) * 1_000;
    const caller = callerOf(response);
    const page = await this.read(query, caller);
    if (page.first !== undefined || waitMs === 0) return this.answer(page, query, request);
    const waiting = { request, caller, afterUs: afterUsOf(query) };
    return this.answer(await this.untilMore(page, query, waiting, waitMs), query, request);
  }

  /** @throws ApiError 503 after this caller's deadline, even if the read is shared with others */
  private read(query: ListingQuery, caller: Caller): Promise<PrintedPage> {
    return caller.beforeDeadline(this.pages.read(cacheKeyOf(query), (all) => this.print(query, all), caller));
  }

  /** @param empty the first page read @returns a page with entries or of another epoch; after `waitMs` the empty one */
  private async untilMore(
    empty: PrintedPage,
    query: ListingQuery,
    waiting: WaitingRequest,
    waitMs: number,
  ): Promise<PrintedPage> {
    const untilMs = performance.now() + waitMs;
    let page = empty;
    while (page.first === undefined && page.epoch === empty.epoch) {
      if ((await this.live?.wait(waiting, page.epoch, untilMs)) !== true) break;
      page = await this.read(query, waiting.caller);
    }
    return page;
  }

  private answer(page: PrintedPage, query: ListingQuery, request: RegistryRequest): Answer {
    const { epoch, first, last, data, instants } = page;
    const { offset = '' } = query;
    const links = printLinks(this.origins.of(request), query, first ?? offset, last ?? offset);
    const headers: Record<string, string> = { Link: links.header, 'Feed-Epoch': epoch, Vary: 'Accept' };
    if (first === undefined) headers['Backoff'] = SAFE_POLLING_SECONDS;
    const text = enclosed(`{${links.members},"data":[`, data, ']}');
    // The links contain the query. An asset's text changes only with its instant or the version of the service.
    return new TaggedAnswer(text, headers, contentDigest(VERSION + epoch + instants + links.members));
  }

  private print(query: ListingQuery, caller: Requester): Promise<PrintedPage> {
    const { fields } = query;
    const print = ({ epoch, entries }: FeedPage): PrintedPage => {
      const [first, last] = [entries[0], entries.at(-1)];
      return {
        epoch,
        first: first && this.time.print(first.modifiedUs),
        last: last && this.time.print(last.modifiedUs),
        instants: contentDigest(instantsOf(entries)),
        data: EncodedText.join(entries.map(entryPrinter(fields, this.time)), ','),
      };
    };
    return this.feed.read({ ...rangeOf(query), whole: needsAssets(fields) }, print, caller);
  }
}

function afterUsOf({ offsetUs }: ListingQuery): number {
  return offsetUs ?? -1;
}

/** A loop is several times as fast as `Float64Array.from`. */
function instantsOf(entries: readonly { modifiedUs: number }[]): Float64Array {
  const instants = new Float64Array(entries.length);
  for (const [i, { modifiedUs }] of entries.entries()) instants[i] = modifiedUs;
  return instants;
}

/** Equal for queries that request the same entries, however they are written. */
function cacheKeyOf({ sent: _sent, offset: _offset, ...asked }: ListingQuery): string {
  return JSON.stringify(asked);
}
