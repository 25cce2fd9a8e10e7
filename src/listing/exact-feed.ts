import { Injectable } from '@nestjs/common';
import { type FeedEntry, type FeedRange, FeedReader } from '../database/feed-reader.js';
import { SettledClock } from '../ledger/settled-clock.js';

/**
 * Pages of the feed without a gap. One statement is enough where a read view is one moment of history. MariaDB's is not: it can show
 * a later commit without an earlier one. There a page ends at a read point, before which everything is over (docs/architecture.md).
 */
@Injectable()
export class ExactFeed {
  private current: Promise<number> | undefined;
  private next: Promise<number> | undefined;

  constructor(
    private readonly feed: FeedReader,
    private readonly settled: SettledClock,
  ) {}

  async read(range: FeedRange): Promise<FeedEntry[]> {
    const settledUs = this.settled.us;
    const plain = await this.feed.read(range);
    // A snapshot with no change that was not known to be over when it was asked for cannot be torn.
    if (this.feed.atomicViews || plain.clockUs <= settledUs) return plain.entries;
    const readPointUs = await this.sharedReadPoint();
    const exact = await this.feed.read({ ...range, beforeUs: Math.min(range.beforeUs, readPointUs + 1) });
    return exact.entries;
  }

  /** One look at the clock at a time: who comes while one is under way shares the next, never the one that began before it came. */
  private sharedReadPoint(): Promise<number> {
    if (this.current === undefined) return this.takeReadPoint();
    this.next ??= this.current.then(
      () => this.takeNext(),
      () => this.takeNext(),
    );
    return this.next;
  }

  private takeNext(): Promise<number> {
    this.next = undefined;
    return this.takeReadPoint();
  }

  private takeReadPoint(): Promise<number> {
    const taken = this.feed.readPoint().then((us) => {
      this.settled.raise(us);
      return us;
    });
    this.current = taken;
    const forget = (): void => {
      if (this.current === taken) this.current = undefined;
    };
    taken.then(forget, forget);
    return taken;
  }
}
