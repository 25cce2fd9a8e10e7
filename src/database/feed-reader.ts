import { Injectable } from '@nestjs/common';
import { type ReadAsset, READ_COLUMNS, type ReadRow, toReadAsset } from './asset-row.js';
import { Database } from './database.js';
import type { Dialect } from './dialects/dialect.js';
import { Loader } from './loader.js';
import { padded } from './places.js';

/** What an index answers alone. */
const PLAIN_COLUMNS = ['id', 'feed_us'] as const;

/** What part of the feed is wanted. Instants are microseconds; both bounds are outside of it. */
export interface FeedRange {
  afterUs: number;
  beforeUs: number;
  newestFirst: boolean;
  limit: number;
  /** Whole assets, or only their ids and instants, which an index answers alone. */
  whole: boolean;
}

export interface FeedEntry {
  id: string;
  modifiedUs: number;
  /** Present when whole assets were asked for; its body is in `latin1`. */
  asset: ReadAsset | undefined;
}

export interface FeedSnapshot {
  /** The clock in the same snapshot as the entries: nothing that the snapshot shows is newer. */
  clockUs: number;
  /** Of the same snapshot too: which history it belongs to. */
  epoch: string;
  entries: FeedEntry[];
}

/** A row of a page, or the clock's, which has the number 0, no id, and the epoch. */
type FeedRow = ReadRow & { page: number; feed_us: number | string; epoch: string | null };

/** Plain pages are small: with several in one statement, the way to the server and back is shared. */
const LIMITS = { keys: 8, underWay: 2 };

/** Reads of the feed. */
@Injectable()
export class FeedReader {
  private readonly oldestFirst = this.loaderOfPages();
  private readonly newestFirst = this.loaderOfPages();

  constructor(private readonly database: Database) {}

  get atomicViews(): boolean {
    return this.database.dialect.atomicViews;
  }

  /** A page and its clock from one snapshot. @throws ApiError 503 while the database is away */
  async read(range: FeedRange): Promise<FeedSnapshot> {
    const loader = range.newestFirst ? this.newestFirst : this.oldestFirst;
    const snapshot = range.whole ? (await this.fetch([range])).get(range) : await loader.load(range);
    return snapshot as FeedSnapshot;
  }

  private loaderOfPages(): Loader<FeedRange, FeedSnapshot> {
    return new Loader((ranges: readonly FeedRange[]) => this.fetch(ranges), LIMITS);
  }

  /** One statement, so one snapshot. @param ranges of the same direction and columns */
  private async fetch(ranges: readonly FeedRange[]): Promise<Map<FeedRange, FeedSnapshot>> {
    // There are few texts of statements; the pages that nobody asked for are empty.
    const asked = padded(ranges).map((range, i) => (i < ranges.length ? range : { ...range, limit: 0 }));
    const values = asked.flatMap(({ afterUs, beforeUs, limit }) => [afterUs, beforeUs, limit].map(BigInt));
    const rows = await this.database.read<FeedRow>(pagesSql(asked, this.database.dialect), values);
    const clock = rows.find(({ page }) => page === 0);
    const pages = ranges.map((): FeedEntry[] => []);
    for (const row of rows) pages[row.page - 1]?.push(toEntry(row));
    const [clockUs, epoch] = [Number(clock?.feed_us), String(clock?.epoch)];
    return new Map(ranges.map((range, i) => [range, { clockUs, epoch, entries: inOrder(pages[i] ?? [], range) }]));
  }

  /**
   * The clock, read once no writer holds it: every batch up to it is over, and visible to any read that begins afterwards.
   */
  async readPoint(): Promise<number> {
    const [row] = await this.database.read<{ last_us: number | string }>(this.database.dialect.readPointSql);
    return Number(row?.last_us);
  }
}

/**
 * The clock's row and those of pages, numbered from 1, from one read view as any statement's. A UNION has no temporary table and repeats
 * nothing: the clock beside each row would be sent as often as there are rows.
 */
function pagesSql(ranges: readonly FeedRange[], dialect: Dialect): string {
  const [{ newestFirst, whole }] = ranges as [FeedRange];
  const columns = whole ? [...READ_COLUMNS, 'feed_us'] : PLAIN_COLUMNS;
  const clock = columns.map((column) => (column === 'feed_us' ? 'last_us AS feed_us' : `NULL AS ${column}`));
  const read = columns.map((column) => (column === 'body' ? dialect.bytesSql(column) : column));
  const rows = `${read.join(', ')}, NULL FROM asset ${dialect.byIndexSql('uq_asset_feed_us')} WHERE feed_us > ? AND feed_us < ? ORDER BY feed_us ${newestFirst ? 'DESC' : 'ASC'} LIMIT ?`;
  const pages = ranges.map((_, i) => dialect.limitedPartSql(`SELECT ${i + 1}, ${rows}`));
  return `SELECT 0 AS page, ${clock.join(', ')}, epoch FROM feed_clock WHERE id = 1 UNION ALL ${pages.join(' UNION ALL ')}`;
}

function toEntry(row: FeedRow): FeedEntry {
  return { id: row.id, modifiedUs: Number(row.feed_us), asset: row.body === undefined ? undefined : toReadAsset(row) };
}

/** No database changes the order of a part of a UNION, but none promises it. */
function inOrder(entries: FeedEntry[], { newestFirst }: FeedRange): FeedEntry[] {
  const direction = newestFirst ? -1 : 1;
  const isNext = ({ modifiedUs }: FeedEntry, i: number): boolean =>
    i === 0 || direction * (modifiedUs - (entries[i - 1] as FeedEntry).modifiedUs) > 0;
  return entries.every(isNext) ? entries : entries.sort((a, b) => direction * (a.modifiedUs - b.modifiedUs));
}
