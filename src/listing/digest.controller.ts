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

const MAX_CONCURRENT = 2;
/** Digests per client, running or waiting, so that other clients get in. */
const MAX_PER_CLIENT = 2;
/** Entries read by one statement, and processed before yielding to pending I/O. */
const ENTRIES_PER_READ = 250;
const DIGEST_BYTES = 16;
/** The cost of an entry in bytes of output, for the rate limits. */
const BYTES_PER_ENTRY = 100;

/** Computes digests of ranges of the feed, with which clients check their copies. */
@Controller(apiPaths('assets'))
export class DigestController {
  private readonly slots = new Semaphore(MAX_CONCURRENT);
  private readonly clients = new PerClientSemaphore({ max: Infinity, maxPerClient: MAX_PER_CLIENT });

  constructor(
    private readonly feed: ExactFeed,
    private readonly time: RegistryTime,
    private readonly limits: RateLimits,
  ) {}

  /**
   * The number of entries in a range, and the XOR of their digests: the first 16 bytes of SHA-256 of `<id> <dateModified>`.
   * @throws ApiError 400; 503 if the client has too many digests under way, or the database is away
   */
  @Get('digest')
  async digest(@CalledBy() caller: Caller, @Req() request: RegistryRequest): Promise<Answer> {
    const { query } = targetOf(request);
    const from = QUERY_PARAMETERS.from.read(query, this.time);
    const to = QUERY_PARAMETERS.to.read(query, this.time);
    const leave = this.clients.enter(this.limits.clientOf(request), { evict: () => undefined });
    return this.slots.run(() => this.count(from?.us, to?.us, caller), caller).finally(leave);
  }

  /** @param fromUs exclusive @param toUs inclusive, in microseconds; undefined for no bound */
  private async count(fromUs: number | undefined, toUs: number | undefined, caller: Caller): Promise<Answer> {
    const { readPointUs, epoch } = await this.feed.settle();
    const lastUs = Math.min(toUs ?? readPointUs, readPointUs);
    const range = { afterUs: fromUs ?? -1, beforeUs: lastUs + 1, limit: ENTRIES_PER_READ, whole: false };
    const sum = Buffer.alloc(DIGEST_BYTES);
    let count = 0;
    for await (const { entries } of this.feed.pages(range)) {
      if (caller.isGone()) break;
      for (const entry of entries) add(sum, this.entryDigest(entry));
      count += entries.length;
      caller.chargeWork(entries.length * BYTES_PER_ENTRY);
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

/** XORs a digest into `sum`. The order does not matter, and a second XOR removes the digest. */
function add(sum: Buffer, digest: Buffer): void {
  for (let i = 0; i < DIGEST_BYTES; i++) sum[i] = (sum[i] as number) ^ (digest[i] as number);
}
