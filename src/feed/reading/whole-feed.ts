import { Injectable } from '@nestjs/common';
import { FeedReader } from '../../database/readers/feed-reader.js';
import { type FeedView, FeedViews } from '../../database/readers/feed-view.js';
import { RedactionReader } from '../../database/readers/redaction-reader.js';
import { DurableWatermark } from '../watermarks.js';

const NOTHING = { afterUs: -1, beforeUs: 0, newestFirst: false, limit: 1, whole: false };

/** The feed as a whole: its clock, and consistent views of all of it. */
@Injectable()
export class WholeFeed {
  constructor(
    private readonly feed: FeedReader,
    private readonly views: FeedViews,
    private readonly durable: DurableWatermark,
    private readonly redactions: RedactionReader,
  ) {}

  /**
   * The feed's clock, in microseconds, and epoch. Changes up to there may not be durable yet.
   * @throws ApiError 503 while the database is away
   */
  clock(): Promise<{ clockUs: number; epoch: string }> {
    return this.feed.read(NOTHING);
  }

  /** Reads the clock, the epoch, and the instant of the last erasure (`erasedUs`, 0 for never). @throws ApiError 503 while the database is away */
  async position(): Promise<{ clockUs: number; epoch: string; erasedUs: number }> {
    const { clockUs, epoch } = await this.clock();
    return { clockUs, epoch, erasedUs: await this.redactions.newestUs() };
  }

  /**
   * Opens a read view in which everything is durable. The caller closes it.
   * @param signal aborts it, even during a statement
   * @throws ApiError 503, or the driver's error when the database is away
   */
  async open(signal: AbortSignal): Promise<FeedView> {
    const view = await this.views.open(signal);
    try {
      await this.durable.waitFor(view.clockUs);
      return view;
    } catch (error) {
      // Its connection may be gone already; the first error is the one to report.
      await view.close().catch(() => undefined);
      throw error;
    }
  }
}
