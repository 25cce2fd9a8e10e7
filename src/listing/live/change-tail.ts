import { ApiError } from '../../platform/errors/api-error.js';
import type { FeedRange } from '../../database/readers/feed-reader.js';
import type { SettledWatermark } from '../../feed/watermarks.js';
import type { Timing } from '../../feed/clock/wall-clock.js';
import type { FeedPages } from '../feed-pages.js';
import { MAX_ENTRIES } from '../../http/query-parameters.js';
import { logger, stackOf } from '../../platform/logging/logger.js';
import { type BroadcastParts, ChangeBroadcast, type ReadPage, type TailMember } from './change-broadcast.js';

/** Polling interval for other processes' changes. */
const POLL_MS = 100;
/** Minimum pause between two reads, so that not every batch of a busy ledger causes one. */
const GAP_MS = 20;
/** Pause after a failed read. */
const RETRY_MS = 500;

/** One page of entries without assets, oldest first; replace `afterUs`. */
export const NEXT_PAGE: FeedRange = {
  afterUs: -1,
  beforeUs: Number.MAX_SAFE_INTEGER,
  newestFirst: false,
  limit: MAX_ENTRIES,
  whole: false,
};

/**
 * Reads the end of the feed once for all followers in this process: at once after a commit of this process, and by polling for other
 * processes' commits. Reads nothing while there are no followers. It reads the same exact pages as the listing. Source: contract section 12.
 */
export class ChangeTail {
  /** Undefined without followers. */
  private broadcast: ChangeBroadcast | undefined;
  private epoch: string | undefined;
  private isRunning = false;
  private hasNews = false;
  private endPause: () => void = () => undefined;

  /** @param settled raised by changes of this process */
  constructor(
    private readonly feed: Pick<FeedPages, 'read'>,
    private readonly settled: Pick<SettledWatermark, 'whenRaised'>,
    private readonly parts: BroadcastParts & { timing: Pick<Timing, 'sleep' | 'immediate' | 'after'> },
  ) {}

  /** @returns false for a follower that is not caught up and has to read pages first */
  join(member: TailMember): boolean {
    this.broadcast ??= new ChangeBroadcast(this.parts);
    const hasJoined = this.broadcast.join(member);
    if (!this.isRunning) void this.run();
    return hasJoined;
  }

  leave(member: TailMember): void {
    this.broadcast?.leave(member);
    if (this.broadcast?.size === 0) this.notify();
  }

  private notify(): void {
    this.hasNews = true;
    this.endPause();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    const stopListening = this.settled.whenRaised(() => this.notify());
    for (let { broadcast } = this; broadcast !== undefined && broadcast.size > 0; { broadcast } = this) {
      try {
        await (broadcast.endUs === undefined ? this.begin(broadcast) : this.readNext(broadcast, broadcast.endUs));
      } catch (error) {
        // A database that is away is logged elsewhere.
        if (!(error instanceof ApiError))
          logger.error({ stack: stackOf(error) }, 'changes could not be read for followers');
        await this.parts.timing.sleep(RETRY_MS);
      }
    }
    stopListening();
    this.broadcast = undefined;
    this.isRunning = false;
  }

  /** Finds the end of the feed. */
  private async begin(broadcast: ChangeBroadcast): Promise<void> {
    const { epoch, entries } = await this.read({ ...NEXT_PAGE, newestFirst: true, limit: 1 });
    this.epoch = epoch;
    await broadcast.begin(entries[0]?.modifiedUs ?? -1, epoch);
  }

  private async readNext(broadcast: ChangeBroadcast, afterUs: number): Promise<void> {
    if (!this.hasNews) await this.pause(POLL_MS);
    if (broadcast.size === 0) return;
    this.hasNews = false;
    const page = await this.read({ ...NEXT_PAGE, afterUs, whole: broadcast.wantsAssets });
    if (page.epoch !== this.epoch) {
      this.broadcast = undefined;
      await broadcast.wakeAll();
    } else if (page.entries.length > 0) {
      // Read on until a page is empty.
      this.hasNews = true;
      await broadcast.send(page);
      await this.parts.timing.sleep(GAP_MS);
    }
  }

  private read(range: FeedRange): Promise<ReadPage> {
    return this.feed.read(range, (page) => ({ ...page, whole: range.whole }));
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.parts.timing.after(ms, resolve);
      this.endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}
