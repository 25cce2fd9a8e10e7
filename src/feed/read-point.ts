import { Inject, Injectable } from '@nestjs/common';
import { FeedReader } from '../database/feed-reader.js';
import { FEED_OBSERVER, type FeedObserver, UNOBSERVED_FEED } from './feed-observer.js';
import { SettledClock } from './settled-clock.js';
import { SingleFlight } from './single-flight.js';

/** An instant up to which everything is over and visible: what ends there cannot be torn. All who wait for one share it. */
@Injectable()
export class ReadPoint {
  private readonly flight: SingleFlight<number>;

  constructor(
    @Inject(FeedReader) feed: Pick<FeedReader, 'readPoint'>,
    private readonly settled: SettledClock,
    @Inject(FEED_OBSERVER) private readonly observer: FeedObserver = UNOBSERVED_FEED,
  ) {
    this.flight = new SingleFlight(() => feed.readPoint());
  }

  /** @returns one that is read after this moment, in microseconds @throws ApiError 503 */
  async ask(): Promise<number> {
    const askedMs = performance.now();
    const us = await this.flight.run();
    this.observer.waitedForReadPoint(performance.now() - askedMs);
    this.settled.raise(us);
    return us;
  }
}
