import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Controller, Get, Req } from '@nestjs/common';
import { Semaphore } from '../platform/concurrency/semaphore.js';
import type { FeedEntry } from '../database/readers/feed-reader.js';
import { ExactFeed } from '../feed/reading/exact-feed.js';
import { Answer } from '../http/answer.js';
import { apiPaths } from '../http/api-paths.js';
import { CalledBy, type Caller } from '../http/caller.js';
import type { RegistryRequest } from '../http/request.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import { targetOf } from '../http/request-target.js';
import { RateLimits } from '../http/limits/rate-limits.js';
import { PerClientSemaphore } from '../http/limits/per-client-semaphore.js';
import { RegistryTime } from '../platform/time/registry-time.js';

const MAX_AT_ONCE = 2;
/** Of one client, with those that wait: others come in between. */
const MAX_OF_CLIENT = 2;
/** Entries that are read in one statement, and counted before pending I/O is handled. */
const ENTRIES = 250;
const DIGEST_BYTES = 16;
/** Counting an entry takes about as long as printing so many bytes of it. Rate limits count it as such. */
const BYTES_OF_AN_ENTRY = 100;

/** Counts a range of the feed, so that whoever keeps a copy can find out whether it is the same. */
@Controller(apiPaths('assets'))
export class DigestController {
  private readonly atOnce = new Semaphore(MAX_AT_ONCE);
  private readonly clients = new PerClientSemaphore({ max: Infinity, maxPerClient: MAX_OF_CLIENT });

  constructor(
    private readonly feed: ExactFeed,
    private readonly time: RegistryTime,
    private readonly limits: RateLimits,
  ) {}

  /**
   * The count of a range's entries and the exclusive or of their digests: the first 16 bytes of SHA-256 of `<id> <dateModified>`.
   * @throws ApiError 400; 503 when too many digests of the client are under way, or the database is away
   */
  @Get('digest')
  async digest(@CalledBy() caller: Caller, @Req() request: RegistryRequest): Promise<Answer> {
    const { query } = targetOf(request);
    const from = QUERY_PARAMETERS.from.read(query, this.time);
    const to = QUERY_PARAMETERS.to.read(query, this.time);
    const leave = this.clients.enter(this.limits.clientOf(request), { evict: () => undefined });
    return this.atOnce.run(() => this.count(from?.us, to?.us, caller), caller).finally(leave);
  }

  /** @param fromUs exclusive @param toUs inclusive, in microseconds; undefined is no bound */
  private async count(fromUs: number | undefined, toUs: number | undefined, caller: Caller): Promise<Answer> {
    const { readPointUs, epoch } = await this.feed.settle();
    const lastUs = Math.min(toUs ?? readPointUs, readPointUs);
    const range = { afterUs: fromUs ?? -1, beforeUs: lastUs + 1, limit: ENTRIES, whole: false };
    const sum = Buffer.alloc(DIGEST_BYTES);
    let count = 0;
    for await (const { entries } of this.feed.pages(range)) {
      if (caller.isGone()) break;
      for (const entry of entries) add(sum, this.entryDigest(entry));
      count += entries.length;
      caller.chargeWork(entries.length * BYTES_OF_AN_ENTRY);
      await setImmediate();
    }
    const from = fromUs === undefined ? '' : this.time.print(fromUs);
    const data = { from, to: this.time.print(lastUs), count, digest: sum.toString('hex') };
    return new Answer(200, JSON.stringify({ data }), { 'Feed-Epoch': epoch, 'Cache-Control': 'no-store' });
  }

  private entryDigest({ id, modifiedUs }: FeedEntry): Buffer {
    return hash('sha256', `${id} ${this.time.print(modifiedUs)}`, 'buffer');
  }
}

/** Adds a digest to `sum` by exclusive or: the order does not matter, and the same digest once more takes it away again. */
function add(sum: Buffer, digest: Buffer): void {
  for (let i = 0; i < DIGEST_BYTES; i++) sum[i] = (sum[i] as number) ^ (digest[i] as number);
}
