import { Inject, Injectable } from '@nestjs/common';
import { type FeedEntry, type FeedRange, FeedReader, type FeedSnapshot } from '../../database/feed-reader.js';
import { RevisionReader } from '../../database/revision-reader.js';
import { DurableClock, SettledClock } from '../known-clocks.js';
import { ReadPoint } from '../read-point.js';

/** What the feed needs of a database. The database room fulfils it; a test may put a double in its place. */
export type FeedSource = Pick<FeedReader, 'atomicViews' | 'read'>;

/** What it needs of what assets were. */
export type PastSource = Pick<RevisionReader, 'leftSince' | 'at'>;

/** The entries of a page, how many there could have been, and which history they belong to. */
export type FeedPage = Pick<FeedSnapshot, 'epoch' | 'limit' | 'entries'>;

/**
 * Pages of the feed without a gap. One statement is enough where a read view is one moment of history. MariaDB's views are not: they can
 * show a later commit without an earlier one. There a page ends at a read point. Where a commit is visible before it is durable, the page
 * waits at the read barrier (docs/architecture.md).
 */
@Injectable()
export class ExactFeed {
  constructor(
    @Inject(FeedReader) private readonly feed: FeedSource,
    @Inject(RevisionReader) private readonly past: PastSource,
    private readonly settled: SettledClock,
    private readonly durable: DurableClock,
    private readonly readPoint: ReadPoint,
  ) {}

  async read(range: FeedRange): Promise<FeedPage> {
    const { clockUs, epoch, limit, entries } = await this.exactSnapshot(range);
    if (entries.length > 0) await this.durable.waitFor(clockUs);
    return { epoch, limit, entries };
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
    const readPointUs = await this.readPoint.ask();
    const { limit } = plain;
    const settled = await this.feed.read({ ...range, limit, beforeUs: Math.min(range.beforeUs, readPointUs + 1) });
    return { ...settled, entries: merge(settled, await this.asAt(readPointUs, settled, plain, range), range) };
  }

  /**
   * What the first page shows and the settled one does not, as it was at the read point: it was changed since then, and perhaps before that
   * too, as one with what the settled page shows.
   */
  private async asAt(us: number, settled: FeedSnapshot, plain: FeedSnapshot, range: FeedRange): Promise<FeedEntry[]> {
    const ids = new Set(settled.entries.map(({ id }) => id));
    const moved = plain.entries.filter(({ id }) => !ids.has(id));
    if (moved.length === 0) return moved;
    const left = new Map((await this.past.leftSince(us, range)).map(({ id, modifiedUs }) => [id, modifiedUs]));
    return Promise.all(
      moved.map(async (entry) => {
        const { id, modifiedUs } = { ...entry, modifiedUs: left.get(entry.id) ?? entry.modifiedUs };
        if (modifiedUs === entry.modifiedUs) return entry;
        if (!range.whole) return { ...entry, modifiedUs };
        const asset = (await this.past.at(id, us))?.asset;
        return asset === undefined ? entry : { id, modifiedUs, asset };
      }),
    );
  }
}

/**
 * An asset that was changed again after the read point is missing from the second page. It is shown where it was before: a reader who asks
 * after a change was acknowledged must find the asset. Entries beyond the end of a full second page are left out, as others may
 * belong between the two.
 */
function merge(settled: FeedSnapshot, moved: readonly FeedEntry[], { newestFirst }: FeedRange): FeedEntry[] {
  const { entries, limit } = settled;
  if (moved.length === 0) return entries;
  const direction = newestFirst ? -1 : 1;
  return [...entries, ...moved].toSorted((a, b) => direction * (a.modifiedUs - b.modifiedUs)).slice(0, limit);
}
