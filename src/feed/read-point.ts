import { Inject, Injectable } from '@nestjs/common';
import { FeedReader } from '../database/readers/feed-reader.js';
import { FEED_OBSERVER, type FeedObserver, UNOBSERVED_FEED } from './feed-observer.js';
import { SettledWatermark } from './watermarks.js';
import { SingleFlight } from '../platform/concurrency/single-flight.js';

/**
 * A read point: an instant up to which every batch is over and visible to new readers, so that a page that ends there misses nothing.
 * Requests that wait for one at the same time share it.
 */
@Injectable()
export class ReadPoint {
  private readonly flight: SingleFlight<number>;

  constructor(
    @Inject(FeedReader) feed: Pick<FeedReader, 'readPoint'>,
    private readonly settled: SettledWatermark,
    @Inject(FEED_OBSERVER) private readonly observer: FeedObserver = UNOBSERVED_FEED,
  ) {
    this.flight = new SingleFlight(() => feed.readPoint());
  }

  /**
   * Waits for the batch under way, unless a point at or after `seenUs` is known already.
   * @param seenUs the feed's clock, in microseconds, in a view opened since the request came: no earlier answer showed anything newer
   * @returns the read point in microseconds
   * @throws ApiError 503
   */
  async obtain(seenUs = Infinity): Promise<number> {
    if (seenUs <= this.settled.us) return this.settled.us;
    const askedMs = performance.now();
    const us = await this.flight.run();
    this.observer.waitedForReadPoint(performance.now() - askedMs);
    this.settled.raise(us);
    return us;
  }
}
