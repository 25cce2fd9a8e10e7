import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Controller, Get, Injectable, type PipeTransform, Req } from '@nestjs/common';
import type { FeedEntry } from '../database/feed-reader.js';
import { ExactFeed } from '../feed/reading/exact-feed.js';
import { Answer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { CalledBy, type Caller } from '../http/caller.js';
import { type RegistryRequest, SentQuery } from '../http/request.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import type { Query } from '../http/target.js';
import { RateLimits } from '../limits/rate-limits.js';
import { RegistryTime } from '../time/registry-time.js';
import { DigestPlaces } from './digest-places.js';

/** Entries that are read in one statement, and counted before pending I/O is handled. */
const ENTRIES = 250;
const DIGEST_BYTES = 16;
/** Counting an entry takes about as long as printing so many bytes of it. Rate limits count it as such. */
const BYTES_OF_AN_ENTRY = 100;

/** The part of the feed that is counted, in microseconds since 1970 UTC: after `fromUs`, up to and with `toUs`; undefined is no bound. */
interface DigestQuery {
  fromUs: number | undefined;
  toUs: number | undefined;
}

/** Reads the query of a digest. */
@Injectable()
class DigestQueryPipe implements PipeTransform<Query, DigestQuery> {
  constructor(private readonly time: RegistryTime) {}

  transform(sent: Query): DigestQuery {
    const from = QUERY_PARAMETERS.from.read(sent, this.time);
    const to = QUERY_PARAMETERS.to.read(sent, this.time);
    return { fromUs: from?.us, toUs: to?.us };
  }
}

/** Counts a range of the feed, so that whoever keeps a copy can find out whether it is the same. */
@Controller(apiPaths('assets'))
export class DigestController {
  private readonly places = new DigestPlaces();

  constructor(
    private readonly feed: ExactFeed,
    private readonly time: RegistryTime,
    private readonly limits: RateLimits,
  ) {}

  /**
   * The count of a range's entries and the exclusive or of their digests: the first 16 bytes of SHA-256 of `<id> <dateModified>`.
   * @throws ApiError 503 when too many digests of the address are under way, or the database is away
   */
  @Get('digest')
  digest(
    @SentQuery(DigestQueryPipe) query: DigestQuery,
    @CalledBy() caller: Caller,
    @Req() request: RegistryRequest,
  ): Promise<Answer> {
    return this.places.run(this.limits.clientOf(request), caller, () => this.count(query, caller));
  }

  private async count({ fromUs, toUs }: DigestQuery, caller: Caller): Promise<Answer> {
    const { readPointUs, epoch } = await this.feed.settle();
    const lastUs = Math.min(toUs ?? readPointUs, readPointUs);
    const sum = Buffer.alloc(DIGEST_BYTES);
    let count = 0;
    for await (const entries of this.entries(fromUs ?? -1, lastUs + 1, caller)) {
      for (const entry of entries) add(sum, this.entryDigest(entry));
      count += entries.length;
      caller.worked(entries.length * BYTES_OF_AN_ENTRY);
    }
    const from = fromUs === undefined ? '' : this.time.print(fromUs);
    const data = { from, to: this.time.print(lastUs), count, digest: sum.toString('hex') };
    return new Answer(200, JSON.stringify({ data }), { 'Feed-Epoch': epoch, 'Cache-Control': 'no-store' });
  }

  private async *entries(afterUs: number, beforeUs: number, caller: Caller): AsyncGenerator<FeedEntry[]> {
    for (let lastUs = afterUs; !caller.isGone();) {
      const range = { afterUs: lastUs, beforeUs, newestFirst: false, limit: ENTRIES, whole: false };
      const { entries } = await this.feed.read(range);
      yield entries;
      if (entries.length < ENTRIES) return;
      await setImmediate();
      lastUs = (entries.at(-1) as FeedEntry).modifiedUs;
    }
  }

  private entryDigest({ id, modifiedUs }: FeedEntry): Buffer {
    return hash('sha256', `${id} ${this.time.print(modifiedUs)}`, 'buffer');
  }
}

/** Adds a digest to `sum` by exclusive or: the order does not matter, and the same digest once more takes it away again. */
function add(sum: Buffer, digest: Buffer): void {
  for (let i = 0; i < DIGEST_BYTES; i++) sum[i] = (sum[i] as number) ^ (digest[i] as number);
}
