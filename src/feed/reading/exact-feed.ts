import { Inject, Injectable } from '@nestjs/common';
import { Semaphore } from '../../platform/concurrency/semaphore.js';
import { type FeedEntry, type FeedRange, FeedReader, type FeedSnapshot } from '../../database/readers/feed-reader.js';
import { countWithinLimit } from '../../database/readers/page-size-limit.js';
import { type FormerPosition, RevisionReader } from '../../database/readers/revision-reader.js';
import { unavailable } from '../../platform/errors/errors.js';
import { DurableWatermark, SettledWatermark } from '../watermarks.js';
import { ReadPoint } from '../read-point.js';

export type FeedSource = Pick<FeedReader, 'atomicViews' | 'read'>;

export type PastSource = Pick<RevisionReader, 'positionsLeftSince' | 'at'>;

/** A page: its entries, its maximum number of entries, and the feed's epoch. */
export type FeedPage = Pick<FeedSnapshot, 'epoch' | 'limit' | 'entries'>;

/** Each further attempt means that a moved asset was changed several times more, or that its revisions are damaged. */
const MAX_ATTEMPTS = 5;
/** Concurrent reads of past states, for all pages together: each reconstructs a body from up to nine revisions. */
const MAX_CONCURRENT_PAST_READS = 4;

/**
 * Pages of the feed without a gap. One statement is enough if read views are atomic. MariaDB's are not: they can show a later commit without
 * an earlier one. There a page is the feed as it was at a read point. If commits are visible before they are durable, the page waits at the
 * read barrier (docs/architecture.md).
 */
@Injectable()
export class ExactFeed {
  private readonly pastReads = new Semaphore(MAX_CONCURRENT_PAST_READS);

  constructor(
    @Inject(FeedReader) private readonly feed: FeedSource,
    @Inject(RevisionReader) private readonly past: PastSource,
    private readonly settled: SettledWatermark,
    private readonly durable: DurableWatermark,
    private readonly readPoint: ReadPoint,
  ) {}

  async read(range: FeedRange): Promise<FeedPage> {
    const { clockUs, epoch, limit, entries } = await this.exactSnapshot(range);
    if (entries.length > 0) await this.durable.waitFor(clockUs);
    return { epoch, limit, entries };
  }

  /** Yields the pages of a range, oldest change first, each read on demand. @param range its limit is the number of entries of a page */
  async *pages(range: Omit<FeedRange, 'newestFirst'>): AsyncGenerator<FeedPage> {
    for (let { afterUs } = range; ;) {
      const page = await this.read({ ...range, afterUs, newestFirst: false });
      yield page;
      const last = page.entries.at(-1);
      if (last === undefined || page.entries.length < page.limit) return;
      afterUs = last.modifiedUs;
    }
  }

  /**
   * Takes a read point and waits until everything up to it is durable: pages up to there are exact.
   * @returns the read point in microseconds, and the feed's epoch
   */
  async settle(): Promise<{ readPointUs: number; epoch: string }> {
    const readPointUs = await this.readPoint.obtain();
    await this.durable.waitFor(readPointUs);
    const { epoch } = await this.feed.read({ afterUs: -1, beforeUs: 0, newestFirst: false, limit: 1, whole: false });
    return { readPointUs, epoch };
  }

  private async exactSnapshot(range: FeedRange): Promise<FeedSnapshot> {
    const settledUs = this.settled.us;
    const plain = await this.feed.read(range);
    // Everything that this snapshot, or this range of it, can show was settled before it was read, so nothing is missing.
    if (this.feed.atomicViews || plain.clockUs <= settledUs || range.beforeUs <= settledUs + 1) return plain;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const seenUs = attempt === 1 ? plain.clockUs : undefined;
      const page = await this.atReadPoint({ ...range, limit: plain.limit }, seenUs);
      if (page !== undefined) return page;
    }
    throw unavailable('changed_meanwhile');
  }

  /**
   * The page as the feed was at a read point. Assets that have moved since are shown where they were: a reader who asks after a change was
   * acknowledged must find the asset, and all assets of a group. The first change that moved an asset was committed before the page's view
   * was complete, so its revision is in any later view, torn or not.
   * @returns undefined if the past state of an asset is not found
   */
  private async atReadPoint(range: FeedRange, seenUs: number | undefined): Promise<FeedSnapshot | undefined> {
    const us = await this.readPoint.obtain(seenUs);
    const settled = await this.feed.read({ ...range, beforeUs: Math.min(range.beforeUs, us + 1) });
    // Its view has nothing newer, so nothing has moved.
    if (settled.clockUs <= us) return settled;
    const page = merge(settled, await this.past.positionsLeftSince(us, range), range);
    const entries = await Promise.all(page.items.map((item) => this.entryOf(item, us, range)));
    return entries.includes(undefined) ? undefined : { ...settled, limit: page.limit, entries: entries as FeedEntry[] };
  }

  /**
   * @returns undefined if the view shows a change of the asset without the previous one, or its revision is damaged: at the next read point
   * the asset is in its new position, and this state is not needed
   */
  private async entryOf(
    item: FeedEntry | FormerPosition,
    us: number,
    { whole }: FeedRange,
  ): Promise<FeedEntry | undefined> {
    if ('asset' in item) return item;
    const { id, modifiedUs } = item;
    if (!whole) return { id, modifiedUs, asset: undefined };
    const past = await this.pastReads.run(() => this.past.at(id, us));
    return past?.asset && { id, modifiedUs, asset: past.asset };
  }
}

/**
 * Adds moved assets to a page, each asset once. Entries beyond the limit or the size of a page are left to the next one.
 */
function merge({ entries, limit }: FeedSnapshot, left: readonly FormerPosition[], { newestFirst, whole }: FeedRange) {
  const shown = new Set(entries.map(({ id }) => id));
  const direction = newestFirst ? -1 : 1;
  const items = [...entries, ...left.filter(({ id }) => !shown.has(id))]
    .toSorted((one, other) => direction * (one.modifiedUs - other.modifiedUs))
    .slice(0, limit);
  const count = whole ? countWithinLimit(items.map(bytesOf)) : items.length;
  return { items: items.slice(0, count), limit: count < items.length ? count : limit };
}

function bytesOf(item: FeedEntry | FormerPosition): number {
  return 'bytes' in item ? item.bytes : (item.asset?.body.length ?? 0);
}
