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
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import { prefers } from '../http/request-head.js';
import { mayHoldToken, type Parameter, printQuery, type Query, targetOf } from '../http/request-target.js';
import { malformedHeader, malformedParameter } from '../platform/errors/errors.js';
import { apiPaths } from '../http/api-paths.js';

/*
 * Pages of a feed: which one is asked for, or events from an instant on; the links to those beside it; how they are read, and entries printed.
 */

/** A checked query of the listing. Source: contract section 6. */
export interface ListingQuery {
  limit: number;
  /** The offset as it was sent, with a lost `+` put back; undefined when none was sent. */
  offset: string | undefined;
  offsetUs: number | undefined;
  newestFirst: boolean;
  /** Asset fields to add to each entry; `*` for whole assets. */
  fields: readonly string[] | '*';
  /** The query as it was sent, for the links. */
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

/** What part of a feed a query asks for. */
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

/** A place in the feed to go on from. Clients copy every member into their next query, so it has no others. */
interface PageLink {
  offset: string;
  path: string;
  uri: string;
}

/** The links of a page, forwards and back. */
interface PrintedLinks {
  /** `next_page`, and `prev_page` where a direction or an offset was given: members of the page's JSON object. */
  members: string;
  /** The value of the header Link. */
  header: string;
}

/** @param query that was asked @param first and last instants of the page's entries; of an empty page the offset as it was sent */
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

/** Goes on in the direction of the request. */
export function nextPage(origin: Origin, offset: string): PageLink {
  return link(origin, replaced(origin.query.parameters, 'offset', offset), offset);
}

/** Goes the other way, to what stands before the first entry. */
export function prevPage(origin: Origin, offset: string, newestFirst: boolean): PageLink {
  // Backwards nothing is waited for.
  const others = origin.query.parameters.filter(({ name }) => name !== 'descending' && name !== 'wait');
  const turned = newestFirst ? others : replaced(others, 'descending', '1');
  return link(origin, replaced(turned, 'offset', offset), offset);
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

/** Whether the listing is asked for as a stream of events. Source: contract section 12. */
export function wantsEvents({ headers }: RegistryRequest): boolean {
  return prefers('text/event-stream', headers.accept);
}

/**
 * The id of the last event that a client has seen, in microseconds; undefined where it says none.
 * @throws ApiError 400 for what is no instant, and for events of the descending listing
 */
export function lastEventUs(request: RegistryRequest, time: RegistryTime): number | undefined {
  if (QUERY_PARAMETERS.descending.read(targetOf(request).query))
    throw malformedParameter('descending', 'Events come in the order of the changes, the oldest first');
  const sent = request.headers['last-event-id'];
  if (sent === undefined || sent === '') return undefined;
  const us = time.parse(String(sent));
  if (us === undefined)
    throw malformedHeader('Last-Event-ID', `The id of an event is required: ${instantFault(String(sent))}`);
  return us;
}

/** What is checked of a request for events before its route is looked up, by the template of the route. */
export function eventChecks(time: RegistryTime): ReadonlyMap<string, (request: RegistryRequest) => unknown> {
  const check = (request: RegistryRequest): unknown => wantsEvents(request) && lastEventUs(request, time);
  return new Map(apiPaths('assets').map((path) => [`/${path}`, check]));
}

/** How many pages with fields of assets are made at once: each takes about 20 MB where assets are large. */
export const MAX_WHOLE_AT_ONCE = 8;

/** Reads pages of the feed to be printed, of large assets a few at once. */
@Injectable()
export class FeedPages {
  /** Pages with fields of assets. */
  private readonly wholeAtOnce = new Semaphore(MAX_WHOLE_AT_ONCE);

  constructor(private readonly feed: ExactFeed) {}

  /** @param print what is made of the page @throws ApiError 503, also where the caller has gone before a whole page began */
  async read<Printed>(range: FeedRange, print: (page: FeedPage) => Printed, caller?: Requester): Promise<Printed> {
    const read = async (): Promise<Printed> => print(await this.feed.read(range));
    return range.whole ? this.wholeAtOnce.run(read, caller) : read();
  }
}

/** The fields that every entry has. */
const GIVEN_FIELDS = ['id', 'dateModified'];

/** Whether entries with these fields are made of whole assets. */
export function needsAssets(fields: readonly string[] | '*'): boolean {
  return fields.length > 0;
}

/**
 * Prints the entries of a page. The names that were asked for are looked at once: there may be five thousand, and a thousand entries.
 * @param fields of the asset to add, where there is one; `*` for the whole asset
 */
export function entryPrinter(fields: readonly string[] | '*', time: RegistryTime): (entry: FeedEntry) => AnyText {
  const places = new Map(fields === '*' ? [] : [...new Set(fields)].map((name, i) => [name, i]));
  for (const name of GIVEN_FIELDS) places.delete(name);
  const placeOf = (name: string): number => places.get(name) as number;
  const added = (text: string): string =>
    [...membersOf(text)]
      .filter(([name]) => places.has(name))
      .toSorted(([one], [other]) => placeOf(one) - placeOf(other))
      .map(([name, value]) => `,${JSON.stringify(name)}:${value}`)
      .join('');
  return ({ id, modifiedUs, asset }) => {
    if (asset !== undefined && fields === '*') return printAsset(asset, time);
    const entry = `{"id":"${id}","dateModified":"${time.print(modifiedUs)}"`;
    if (asset === undefined) return `${entry}}`;
    return printAsset(asset, time).map((text) => `${entry}${added(text)}}`);
  };
}
