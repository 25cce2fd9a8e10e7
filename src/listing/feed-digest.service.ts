import { hash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { FeedEntry } from '../database/feed-reader.js';
import { Answer } from '../http/answer.js';
import type { Caller } from '../http/caller.js';
import { RegistryTime } from '../time/registry-time.js';
import type { DigestQuery } from './digest-query.pipe.js';
import { ExactFeed } from '../feed/reading/exact-feed.js';
import { FewAtOnce } from './few-at-once.js';

/** Entries that are read in one statement and counted before the event loop is given back. */
const ENTRIES = 1_000;
const MOST_AT_ONCE = 2;
const DIGEST_BYTES = 16;
/** Counting an entry takes about as long as printing so many bytes of it. Rate limits count it as such. */
const BYTES_OF_AN_ENTRY = 100;

/** Counts a range of the feed, so that whoever keeps a copy can find out whether it is the same. */
@Injectable()
export class FeedDigestService {
  private readonly atOnce = new FewAtOnce(MOST_AT_ONCE);

  constructor(
    private readonly feed: ExactFeed,
    private readonly time: RegistryTime,
  ) {}

  /**
   * The count of a range's entries and the exclusive or of their digests: the first 16 bytes of SHA-256 of `<id> <dateModified>`.
   * @throws ApiError 503 when too many digests are under way, or the database is away
   */
  async digest({ fromUs, toUs }: DigestQuery, caller: Caller): Promise<Answer> {
    const over = this.atOnce.begin();
    try {
      const { readPointUs, epoch } = await this.feed.settle();
      const lastUs = Math.min(toUs ?? readPointUs, readPointUs);
      const sum = Buffer.alloc(DIGEST_BYTES);
      let count = 0;
      for await (const entries of this.entries(fromUs ?? -1, lastUs + 1, caller)) {
        for (const entry of entries) add(sum, this.digestOf(entry));
        count += entries.length;
        caller.worked(entries.length * BYTES_OF_AN_ENTRY);
      }
      const from = fromUs === undefined ? '' : this.time.print(fromUs);
      const data = { from, to: this.time.print(lastUs), count, digest: sum.toString('hex') };
      return new Answer(200, JSON.stringify({ data }), { 'Feed-Epoch': epoch, 'Cache-Control': 'no-store' });
    } finally {
      over();
    }
  }

  private async *entries(afterUs: number, beforeUs: number, caller: Caller): AsyncGenerator<FeedEntry[]> {
    for (let lastUs = afterUs; !caller.isGone();) {
      const range = { afterUs: lastUs, beforeUs, newestFirst: false, limit: ENTRIES, whole: false };
      const { entries } = await this.feed.read(range);
      yield entries;
      if (entries.length < ENTRIES) return;
      lastUs = (entries.at(-1) as FeedEntry).modifiedUs;
      await turn();
    }
  }

  private digestOf({ id, modifiedUs }: FeedEntry): Buffer {
    return hash('sha256', `${id} ${this.time.print(modifiedUs)}`, 'buffer');
  }
}

/** Exclusive or: the order does not matter, and adding a digest once more removes it. */
function add(sum: Buffer, digest: Buffer): void {
  for (let i = 0; i < DIGEST_BYTES; i++) sum[i] = (sum[i] as number) ^ (digest[i] as number);
}
