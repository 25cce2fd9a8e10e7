import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { FeedRange, FeedEntry } from '../database/feed-reader.js';
import { ExactFeed, type FeedPage } from '../feed/reading/exact-feed.js';
import { TurnLimit } from '../database/turn-limit.js';
import { printAsset } from '../asset/asset-view.js';
import { membersOf } from '../http/json-text.js';
import type { AnyText } from '../text/encoded-text.js';
import type { RegistryTime } from '../time/registry-time.js';

/*
 * Pages of the feed, as they are read and as their entries are printed.
 */

/** How many pages with fields of assets are made at once: each takes about 20 MB where assets are large. */
export const MOST_WHOLE_AT_ONCE = 8;

/** Reads pages of the feed to be printed, of large assets a few at once. */
@Injectable()
export class FeedPages {
  /** Pages with fields of assets. Where calls of the database block, one is read and printed in one turn of the event loop. */
  private readonly wholeAtOnce: TurnLimit;

  constructor(
    private readonly feed: ExactFeed,
    { dialect }: Database,
  ) {
    this.wholeAtOnce = new TurnLimit(MOST_WHOLE_AT_ONCE, dialect);
  }

  /** @param print what is made of the page @throws ApiError 503 */
  async read<Printed>(range: FeedRange, print: (page: FeedPage) => Printed): Promise<Printed> {
    const read = async (): Promise<Printed> => print(await this.feed.read(range));
    return range.whole ? this.wholeAtOnce.run(read) : read();
  }
}

/** The fields that every entry has. */
const GIVEN_FIELDS = new Set(['id', 'dateModified']);

/** Whether entries with these fields are made of whole assets. */
export function needsAssets(fields: readonly string[] | '*'): boolean {
  return fields.length > 0;
}

/** @param fields of the asset to add, where there is one; `*` for the whole asset */
export function printEntry(
  { id, modifiedUs, asset }: FeedEntry,
  fields: readonly string[] | '*',
  time: RegistryTime,
): AnyText {
  if (asset !== undefined && fields === '*') return printAsset(asset, time);
  const entry = `{"id":"${id}","dateModified":"${time.print(modifiedUs)}"`;
  if (asset === undefined) return `${entry}}`;
  return printAsset(asset, time).map((text) => {
    const members = membersOf(text);
    const added = [...new Set(fields)].filter((name) => members.has(name) && !GIVEN_FIELDS.has(name));
    return `${entry}${added.map((name) => `,${JSON.stringify(name)}:${members.get(name)}`).join('')}}`;
  });
}
