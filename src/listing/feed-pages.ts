import { Injectable } from '@nestjs/common';
import { type Requester, Semaphore } from '../platform/concurrency/semaphore.js';
import type { FeedRange, FeedEntry } from '../database/readers/feed-reader.js';
import { ExactFeed, type FeedPage } from '../feed/reading/exact-feed.js';
import { printAsset } from '../feed/reading/asset-view.js';
import { membersOf } from '../http/json-text.js';
import type { AnyText } from '../platform/text/encoded-text.js';
import { instantFault } from '../platform/time/instant-fault.js';
import type { RegistryTime } from '../platform/time/registry-time.js';
import type { Origin } from '../http/origins.js';
import type { RegistryRequest } from '../http/request.js';
import { QUERY_PARAMETERS, restorePlus } from '../http/query-parameters.js';
import { prefers } from '../http/request-head.js';
import { mayHoldToken, type Parameter, printQuery, type Query, targetOf } from '../http/request-target.js';
import { malformedHeader, malformedParameter } from '../platform/errors/errors.js';
import { apiPaths } from '../http/api-paths.js';

/*
 * Pages of the feed: parsing the query of a page or of events, links to the adjacent pages, reading, and printing entries.
 */

/** A checked query of the listing. Source: contract section 6. */
export interface ListingQuery {
  limit: number;
  /** The offset as sent, with a `+` restored that was decoded as a space; undefined without one. */
  offset: string | undefined;
  offsetUs: number | undefined;
  newestFirst: boolean;
  /** Asset fields to add to each entry; `*` for whole assets. */
  fields: readonly string[] | '*';
  /** The query as sent, for the links. */
  sent: Query;
}

/** Reads the query of the listing. @throws ApiError 400 */
export function listingQueryOf(sent: Query, time: RegistryTime): ListingQuery {
  const limit = QUERY_PARAMETERS.limit.read(sent);
  const offset = QUERY_PARAMETERS.offset.read(sent, time);
  const newestFirst = QUERY_PARAMETERS.descending.read(sent);
  const fields = QUERY_PARAMETERS.opt_fields.read(sent);
  return { limit, offset: offset?.text, offsetUs: offset?.us, newestFirst, fields, sent };
}

/** The range of the feed that a query requests. */
export function rangeOf({
  newestFirst,
  offsetUs,
  limit,
}: Pick<ListingQuery, 'newestFirst' | 'offsetUs' | 'limit'>): Omit<FeedRange, 'whole'> {
  return {
    afterUs: newestFirst ? -1 : (offsetUs ?? -1),
    beforeUs: newestFirst ? (offsetUs ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER,
    newestFirst,
    limit,
  };
}

/** Clients copy every member into their next query, so it must have no others. */
interface PageLink {
  offset: string;
  path: string;
  uri: string;
}

interface PrintedLinks {
  /** Members of the page's JSON object: `next_page`, and `prev_page` if the query had a direction or an offset. */
  members: string;
  /** The value of the header Link. */
  header: string;
}

/** @param first instant of the page's first entry, and `last` of its last one; the offset as sent if the page is empty */
export function printLinks(
  origin: Origin,
  { newestFirst, offset }: Pick<ListingQuery, 'newestFirst' | 'offset'>,
  first: string,
  last: string,
): PrintedLinks {
  const next = nextPage(origin, last);
  const isWithPrev = newestFirst || offset !== undefined;
  const prev = isWithPrev ? `,"prev_page":${JSON.stringify(prevPage(origin, first, newestFirst))}` : '';
  return { members: `"next_page":${JSON.stringify(next)}${prev}`, header: `<${next.uri}>; rel="next"` };
}

/** The next page in the direction of the request. */
export function nextPage(origin: Origin, offset: string): PageLink {
  return link(origin, replaced(origin.query.parameters, 'offset', offset), offset);
}

/** The page before the first entry, in the opposite direction. */
export function prevPage(origin: Origin, offset: string, newestFirst: boolean): PageLink {
  // The opposite direction does not support `wait`.
  const others = origin.query.parameters.filter(({ name }) => name !== 'descending' && name !== 'wait');
  const reversed = newestFirst ? others : replaced(others, 'descending', '1');
  return link(origin, replaced(reversed, 'offset', offset), offset);
}

type Pair = Pick<Parameter, 'name' | 'value'>;

function replaced(parameters: readonly Pair[], name: string, value: string): Pair[] {
  const isSent = parameters.some((parameter) => parameter.name === name);
  const pairs = parameters.map((parameter) => (parameter.name === name ? { name, value } : parameter));
  return isSent ? pairs : [...pairs, { name, value }];
}

function link({ base, path }: Origin, parameters: readonly Pair[], offset: string): PageLink {
  const pathAndQuery = `${path}?${printQuery(parameters.filter((parameter) => !mayHoldToken(parameter)))}`;
  return { offset, path: pathAndQuery, uri: base + pathAndQuery };
}

/** Whether a request for the listing prefers a stream of events. Source: contract section 12. */
export function wantsEvents({ headers }: RegistryRequest): boolean {
  return prefers('text/event-stream', headers.accept);
}

/**
 * The client's Last-Event-ID, in microseconds; undefined without one.
 * @throws ApiError 400 if it is not an instant, or the listing is descending
 */
export function lastEventUs(request: RegistryRequest, time: RegistryTime): number | undefined {
  if (QUERY_PARAMETERS.descending.read(targetOf(request).query))
    throw malformedParameter('descending', 'Events come in the order of the changes, the oldest first');
  const sent = restorePlus(String(request.headers['last-event-id'] ?? ''));
  if (sent === '') return undefined;
  const us = time.parse(sent);
  if (us === undefined) throw malformedHeader('Last-Event-ID', `The id of an event is required: ${instantFault(sent)}`);
  return us;
}

/** Checks of requests for events before routing, by route template. */
export function eventChecks(time: RegistryTime): ReadonlyMap<string, (request: RegistryRequest) => unknown> {
  const check = (request: RegistryRequest): unknown => wantsEvents(request) && lastEventUs(request, time);
  return new Map(apiPaths('assets').map((path) => [`/${path}`, check]));
}

/** Concurrent pages with fields of assets: each takes about 20 MB if assets are large. */
export const MAX_CONCURRENT_WHOLE_PAGES = 8;

/** Reads and prints pages of the feed, with a limit on concurrent pages of whole assets. */
@Injectable()
export class FeedPages {
  private readonly wholePages = new Semaphore(MAX_CONCURRENT_WHOLE_PAGES);

  constructor(private readonly feed: ExactFeed) {}

  /** @throws ApiError 503, also if the caller went away while it waited for a whole page */
  async read<Printed>(range: FeedRange, print: (page: FeedPage) => Printed, caller?: Requester): Promise<Printed> {
    const read = async (): Promise<Printed> => print(await this.feed.read(range));
    return range.whole ? this.wholePages.run(read, caller) : read();
  }
}

/** Fields that every entry has. */
const COMMON_FIELDS = ['id', 'dateModified'];

/** Whether entries with these fields require whole assets. */
export function needsAssets(fields: readonly string[] | '*'): boolean {
  return fields.length > 0;
}

/**
 * Returns a function that prints entries. Prepares the field names once: there may be five thousand of them, and a thousand entries.
 * @param fields of the asset to add, if the entry has one; `*` for the whole asset
 */
export function entryPrinter(fields: readonly string[] | '*', time: RegistryTime): (entry: FeedEntry) => AnyText {
  const ranks = new Map(fields === '*' ? [] : [...new Set(fields)].map((name, i) => [name, i]));
  for (const name of COMMON_FIELDS) ranks.delete(name);
  const rankOf = (name: string): number => ranks.get(name) as number;
  const added = (text: string): string =>
    [...membersOf(text)]
      .filter(([name]) => ranks.has(name))
      .toSorted(([one], [other]) => rankOf(one) - rankOf(other))
      .map(([name, value]) => `,${JSON.stringify(name)}:${value}`)
      .join('');
  return ({ id, modifiedUs, asset }) => {
    if (asset !== undefined && fields === '*') return printAsset(asset, time);
    const entry = `{"id":"${id}","dateModified":"${time.print(modifiedUs)}"`;
    if (asset === undefined) return `${entry}}`;
    return printAsset(asset, time).map((text) => `${entry}${added(text)}}`);
  };
}
