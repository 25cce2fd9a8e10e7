import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { FeedRange } from '../database/feed-reader.js';
import { ExactFeed, type FeedPage } from '../feed/reading/exact-feed.js';
import { TurnLimit } from '../database/turn-limit.js';

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
