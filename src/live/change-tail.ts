import { ApiError } from '../errors/api-error.js';
import type { FeedRange } from '../database/feed-reader.js';
import type { SettledClock } from '../feed/known-clocks.js';
import type { FeedPage } from '../feed/reading/exact-feed.js';
import { SYSTEM_TIMING, type Timing } from '../feed/writing/timing.js';
import { needsAssets } from '../listing/entry.js';
import type { FeedPages } from '../listing/feed-pages.js';
import { MOST_ENTRIES } from '../http/query-parameters.js';
import { logger, stackOf } from '../logging/logger.js';
import type { RegistryTime } from '../time/registry-time.js';
import { EventPage } from './event-page.js';
import type { LiveObserver } from './live-observer.js';
import { spread } from './spread.js';

/** How often other processes' changes are looked for. */
const POLL_MS = 100;
/** Between two reads, so that a busy ledger has not each of its batches read. */
const GAP_MS = 20;
/** After a read that failed. */
const AGAIN_MS = 500;

/** From an instant on. */
export const AHEAD: FeedRange = {
  afterUs: -1,
  beforeUs: Number.MAX_SAFE_INTEGER,
  newestFirst: false,
  limit: MOST_ENTRIES,
  whole: false,
};

/** One who has seen all up to `us`, and waits for more. */
export interface TailMember {
  /** In microseconds. */
  readonly us: number;
  /** With which fields of assets it is sent entries; undefined: it reads them itself. */
  readonly fields: readonly string[] | '*' | undefined;
  /** It is sent what comes, some of which it may have. */
  take(page: EventPage): void;
  /** There may be something that it has to read itself. It is no member any more. */
  wake(): void;
}

/**
 * The end of the feed, read once for all in this process who wait there. A change of this process's ledger is read at once, those of others
 * when they are looked for; nothing is read while nobody waits. What it gives is what the pages give, as it reads the same pages.
 */
export class ChangeTail {
  private readonly members = new Set<TailMember>();
  /** All up to here was given to the members; undefined while it is not known, as nobody waited. In microseconds. */
  private us: number | undefined;
  private epoch: string | undefined;
  private isRunning = false;
  private hasNews = false;
  private endRest: () => void = () => undefined;

  /** @param settled tells of changes of this process @param nowUs the wall clock */
  constructor(
    private readonly feed: Pick<FeedPages, 'read'>,
    private readonly time: RegistryTime,
    settled: Pick<SettledClock, 'whenRaised'>,
    private readonly nowUs: () => number,
    private readonly observer: LiveObserver,
    private readonly timing: Pick<Timing, 'sleep' | 'turn' | 'after'> = SYSTEM_TIMING,
  ) {
    settled.whenRaised(() => this.ring());
  }

  /** @returns false for one who has to read on first: what comes next was given to the others already */
  join(member: TailMember): boolean {
    if (this.us !== undefined && member.us < this.us) return false;
    this.members.add(member);
    if (!this.isRunning) void this.run();
    return true;
  }

  leave(member: TailMember): void {
    this.members.delete(member);
    if (this.members.size === 0) this.ring();
  }

  private ring(): void {
    this.hasNews = true;
    this.endRest();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    while (this.members.size > 0) {
      try {
        await (this.us === undefined ? this.begin() : this.goOn(this.us));
      } catch (error) {
        // That the database is away is told elsewhere.
        if (!(error instanceof ApiError))
          logger.error({ stack: stackOf(error) }, 'changes could not be read for followers');
        await this.timing.sleep(AGAIN_MS);
      }
    }
    this.us = undefined;
    this.isRunning = false;
  }

  /** Finds out where the end is. Who is not there reads on. */
  private async begin(): Promise<void> {
    const { epoch, entries } = await this.read({ ...AHEAD, newestFirst: true, limit: 1 });
    const us = entries[0]?.modifiedUs ?? -1;
    [this.us, this.epoch] = [us, epoch];
    await this.wakeAll((member) => member.us < us);
  }

  private async goOn(us: number): Promise<void> {
    if (!this.hasNews) await this.rest(POLL_MS);
    if (this.members.size === 0) return;
    this.hasNews = false;
    const page = await this.read({ ...AHEAD, afterUs: us, whole: [...this.members].some(wantsAssets) });
    if (page.epoch !== this.epoch) {
      this.us = undefined;
      await this.wakeAll(() => true);
      return;
    }
    const last = page.entries.at(-1);
    if (last === undefined) return;
    this.us = last.modifiedUs;
    // Only an empty page is the end.
    this.hasNews = true;
    await this.give(page);
    this.observer.sent((this.nowUs() - last.modifiedUs) / 1_000);
    await this.timing.sleep(GAP_MS);
  }

  private read(range: FeedRange): Promise<FeedPage & { whole: boolean }> {
    return this.feed.read(range, (page) => ({ ...page, whole: range.whole }));
  }

  private async give(page: FeedPage & { whole: boolean }): Promise<void> {
    const printed = new Map<string, EventPage>();
    const pageWith = (fields: readonly string[] | '*'): EventPage => {
      const key = String(fields);
      const known = printed.get(key) ?? EventPage.print(page, fields, this.time);
      printed.set(key, known);
      return known;
    };
    await spread(this.timing, [...this.members], (member) => {
      const { fields } = member;
      if (!this.members.has(member)) return;
      // It may have come while the page was read without what it wants.
      if (fields === undefined || (wantsAssets(member) && !page.whole)) this.wake(member);
      else member.take(pageWith(fields));
    });
  }

  private wakeAll(concerns: (member: TailMember) => boolean): Promise<void> {
    return spread(this.timing, [...this.members].filter(concerns), (member) => this.wake(member));
  }

  private wake(member: TailMember): void {
    if (this.members.delete(member)) member.wake();
  }

  private rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.timing.after(ms, resolve);
      this.endRest = () => {
        cancel();
        resolve();
      };
    });
  }
}

function wantsAssets({ fields }: TailMember): boolean {
  return fields !== undefined && needsAssets(fields);
}
