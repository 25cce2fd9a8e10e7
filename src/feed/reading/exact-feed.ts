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

/** The entries of a page, how many there could have been, and which history they belong to. */
export type FeedPage = Pick<FeedSnapshot, 'epoch' | 'limit' | 'entries'>;

/** Each further attempt means that an asset which had left its place was changed several times more, or what was kept of it is damaged. */
const ATTEMPTS = 5;
/** Past states that are read at once, for all pages together: each is put together from up to nine bodies. */
const MAX_PAST_AT_ONCE = 4;

/**
 * Pages of the feed without a gap. One statement is enough where a read view is one moment of history. MariaDB's views are not: they can
 * show a later commit without an earlier one. There a page is the feed as it was at a read point. Where a commit is visible before it is
 * durable, the page waits at the read barrier (docs/architecture.md).
 */
@Injectable()
export class ExactFeed {
  private readonly pastAtOnce = new Semaphore(MAX_PAST_AT_ONCE);

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

  /** The pages of a range, the oldest change first, each read when it is asked for. @param range whose limit is the entries of a page */
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
   * Takes a read point and waits until everything up to it is durable: pages that end there or before are exact.
   * @returns the read point in microseconds, and the feed's epoch
   */
  async settle(): Promise<{ readPointUs: number; epoch: string }> {
    const readPointUs = await this.readPoint.ask();
    await this.durable.waitFor(readPointUs);
    const { epoch } = await this.feed.read({ afterUs: -1, beforeUs: 0, newestFirst: false, limit: 1, whole: false });
    return { readPointUs, epoch };
  }

  private async exactSnapshot(range: FeedRange): Promise<FeedSnapshot> {
    const settledUs = this.settled.us;
    const plain = await this.feed.read(range);
    // All that this snapshot, or this range of it, can show was settled before it was read: it misses nothing.
    if (this.feed.atomicViews || plain.clockUs <= settledUs || range.beforeUs <= settledUs + 1) return plain;
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const seenUs = attempt === 1 ? plain.clockUs : undefined;
      const page = await this.atReadPoint({ ...range, limit: plain.limit }, seenUs);
      if (page !== undefined) return page;
    }
    throw unavailable('changed_meanwhile');
  }

  /**
   * The page as the feed was at a read point. What has left its place since is shown where it was: a reader who asks after a change was
   * acknowledged must find the asset, and of what was changed as one all of it. The first change that made an asset leave was over before
   * the page's view was complete, so what it left is in any later view, torn or not.
   * @returns undefined where it is not known what an asset was then
   */
  private async atReadPoint(range: FeedRange, seenUs: number | undefined): Promise<FeedSnapshot | undefined> {
    const us = await this.readPoint.ask(seenUs);
    const settled = await this.feed.read({ ...range, beforeUs: Math.min(range.beforeUs, us + 1) });
    // Its view has nothing newer, so nothing has left.
    if (settled.clockUs <= us) return settled;
    const page = merge(settled, await this.past.positionsLeftSince(us, range), range);
    const entries = await Promise.all(page.places.map((place) => this.entryOf(place, us, range)));
    return entries.includes(undefined) ? undefined : { ...settled, limit: page.limit, entries: entries as FeedEntry[] };
  }

  /**
   * @returns undefined where the view shows a change of the asset without the one before it, or what was kept is damaged: at the next read
   * point the asset stands where it has gone to, and this state of it is not asked for again
   */
  private async entryOf(
    place: FeedEntry | FormerPosition,
    us: number,
    { whole }: FeedRange,
  ): Promise<FeedEntry | undefined> {
    if ('asset' in place) return place;
    const { id, modifiedUs } = place;
    if (!whole) return { id, modifiedUs, asset: undefined };
    const past = await this.pastAtOnce.run(() => this.past.at(id, us));
    return past?.asset && { id, modifiedUs, asset: past.asset };
  }
}

/**
 * What stands on the page, each asset once: as many as the settled page could have, and as fit. What belongs behind them is left to the next
 * page, as others may belong between the two.
 */
function merge({ entries, limit }: FeedSnapshot, left: readonly FormerPosition[], { newestFirst, whole }: FeedRange) {
  const shown = new Set(entries.map(({ id }) => id));
  const direction = newestFirst ? -1 : 1;
  const places = [...entries, ...left.filter(({ id }) => !shown.has(id))]
    .toSorted((one, other) => direction * (one.modifiedUs - other.modifiedUs))
    .slice(0, limit);
  const count = whole ? countWithinLimit(places.map(bytesOf)) : places.length;
  return { places: places.slice(0, count), limit: count < places.length ? count : limit };
}

/** @param place of a page of whole assets */
function bytesOf(place: FeedEntry | FormerPosition): number {
  return 'bytes' in place ? place.bytes : (place.asset?.body.length ?? 0);
}
