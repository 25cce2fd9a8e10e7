import { ApiError } from '../../platform/errors/api-error.js';
import type { FeedRange } from '../../database/readers/feed-reader.js';
import type { SettledWatermark } from '../../feed/watermarks.js';
import type { Timing } from '../../feed/clock/wall-clock.js';
import type { FeedPages } from '../feed-pages.js';
import { MAX_ENTRIES } from '../../http/query-parameters.js';
import { logger, stackOf } from '../../platform/logging/logger.js';
import { type BroadcastParts, ChangeBroadcast, type ReadPage, type TailMember } from './change-broadcast.js';

/** How often other processes' changes are looked for. */
const POLL_MS = 100;
/** Between two reads, so that a busy ledger has not each of its batches read. */
const GAP_MS = 20;
/** After a read that failed. */
const AGAIN_MS = 500;

/** The range of the feed that is read on from an instant: replace `afterUs`. Entries without assets, at most one page. */
export const AHEAD: FeedRange = {
  afterUs: -1,
  beforeUs: Number.MAX_SAFE_INTEGER,
  newestFirst: false,
  limit: MAX_ENTRIES,
  whole: false,
};

/**
 * The end of the feed, read once for all in this process who wait there. A change of this process's ledger is read at once, those of others
 * when they are looked for; nothing is read while nobody waits. What it gives is what the pages give, as it reads the same pages.
 * Source: contract section 12.
 */
export class ChangeTail {
  /** Undefined while nobody waits. */
  private broadcast: ChangeBroadcast | undefined;
  private epoch: string | undefined;
  private isRunning = false;
  private hasNews = false;
  private endRest: () => void = () => undefined;

  /** @param settled tells of changes of this process */
  constructor(
    private readonly feed: Pick<FeedPages, 'read'>,
    private readonly settled: Pick<SettledWatermark, 'whenRaised'>,
    private readonly parts: BroadcastParts & { timing: Pick<Timing, 'sleep' | 'immediate' | 'after'> },
  ) {}

  /** @returns false for one who has to read on first: some were given what it has not seen */
  join(member: TailMember): boolean {
    this.broadcast ??= new ChangeBroadcast(this.parts);
    const isIn = this.broadcast.join(member);
    if (!this.isRunning) void this.run();
    return isIn;
  }

  /** Does nothing for one who is no member. */
  leave(member: TailMember): void {
    this.broadcast?.leave(member);
    if (this.broadcast?.size === 0) this.ring();
  }

  private ring(): void {
    this.hasNews = true;
    this.endRest();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    const hearNoMore = this.settled.whenRaised(() => this.ring());
    for (let { broadcast } = this; broadcast !== undefined && broadcast.size > 0; { broadcast } = this) {
      try {
        await (broadcast.endUs === undefined ? this.begin(broadcast) : this.goOn(broadcast, broadcast.endUs));
      } catch (error) {
        // That the database is away is told elsewhere.
        if (!(error instanceof ApiError))
          logger.error({ stack: stackOf(error) }, 'changes could not be read for followers');
        await this.parts.timing.sleep(AGAIN_MS);
      }
    }
    hearNoMore();
    this.broadcast = undefined;
    this.isRunning = false;
  }

  /** Finds out where the end is. */
  private async begin(broadcast: ChangeBroadcast): Promise<void> {
    const { epoch, entries } = await this.read({ ...AHEAD, newestFirst: true, limit: 1 });
    this.epoch = epoch;
    await broadcast.begin(entries[0]?.modifiedUs ?? -1, epoch);
  }

  private async goOn(broadcast: ChangeBroadcast, afterUs: number): Promise<void> {
    if (!this.hasNews) await this.rest(POLL_MS);
    if (broadcast.size === 0) return;
    this.hasNews = false;
    const page = await this.read({ ...AHEAD, afterUs, whole: broadcast.wantsAssets });
    if (page.epoch !== this.epoch) {
      this.broadcast = undefined;
      await broadcast.wakeAll();
    } else if (page.entries.length > 0) {
      // Only an empty page is the end.
      this.hasNews = true;
      await broadcast.give(page);
      await this.parts.timing.sleep(GAP_MS);
    }
  }

  private read(range: FeedRange): Promise<ReadPage> {
    return this.feed.read(range, (page) => ({ ...page, whole: range.whole }));
  }

  private rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.parts.timing.after(ms, resolve);
      this.endRest = () => {
        cancel();
        resolve();
      };
    });
  }
}
