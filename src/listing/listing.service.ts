import { Injectable } from '@nestjs/common';
import { printAsset } from '../assets/asset-view.js';
import type { FeedEntry } from '../database/feed-reader.js';
import { Answer } from '../http/answer.js';
import { membersOf } from '../http/json-text.js';
import type { Origin } from '../http/origin.js';
import { RegistryTime } from '../time/registry-time.js';
import { ExactFeed } from './exact-feed.js';
import type { ListingQuery } from './listing-query.pipe.js';
import { nextPage, prevPage } from './page-links.js';

/** What a reader may ask for at most every so many seconds without being a burden. */
const SAFE_POLLING_SECONDS = '300';
/** What every entry has anyway. */
const GIVEN_FIELDS = new Set(['id', 'dateModified']);

/** Builds pages of the feed. */
@Injectable()
export class ListingService {
  constructor(
    private readonly feed: ExactFeed,
    private readonly time: RegistryTime,
  ) {}

  async page(query: ListingQuery, from: Origin): Promise<Answer> {
    const { newestFirst, offsetUs, limit, fields } = query;
    const { epoch, entries } = await this.feed.read({
      afterUs: newestFirst ? -1 : (offsetUs ?? -1),
      beforeUs: newestFirst ? (offsetUs ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER,
      newestFirst,
      limit,
      whole: fields === '*' || fields.length > 0,
    });
    const next = nextPage(from, this.offsetAt(entries.at(-1), query));
    const members = [`"next_page":${JSON.stringify(next)}`];
    if (newestFirst || query.offset !== undefined) {
      const prev = prevPage(from, this.offsetAt(entries[0], query), newestFirst);
      members.push(`"prev_page":${JSON.stringify(prev)}`);
    }
    members.push(`"data":[${entries.map((entry) => this.printEntry(entry, fields)).join(',')}]`);
    return new Answer(200, `{${members.join(',')}}`, {
      Link: `<${next.uri}>; rel="next"`,
      'Feed-Epoch': epoch,
      ...(entries.length === 0 && { Backoff: SAFE_POLLING_SECONDS }),
    });
  }

  private offsetAt(entry: FeedEntry | undefined, { offset }: ListingQuery): string {
    return entry === undefined ? (offset ?? '') : this.time.print(entry.modifiedUs);
  }

  private printEntry({ id, modifiedUs, asset }: FeedEntry, fields: ListingQuery['fields']): string {
    const entry = `{"id":"${id}","dateModified":"${this.time.print(modifiedUs)}"`;
    if (asset === undefined) return `${entry}}`;
    const text = printAsset(asset, this.time);
    if (fields === '*') return text;
    const members = membersOf(text);
    const added = [...new Set(fields)].filter((name) => members.has(name) && !GIVEN_FIELDS.has(name));
    return `${entry}${added.map((name) => `,${JSON.stringify(name)}:${members.get(name)}`).join('')}}`;
  }
}
