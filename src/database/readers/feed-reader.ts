import { Injectable } from '@nestjs/common';
import { type ReadAsset, type ReadRow, toReadAsset } from './asset-row.js';
import { readWithinLimit, type SizedRow, sizedSql, UNSIZED_SQL } from './page-size-limit.js';
import { Database } from '../database.js';
import type { Dialect } from '../dialects/dialect.js';
import { DataLoader } from './data-loader.js';
import { padded } from '../connections/session.js';

/** A part of the feed. Instants are microseconds; both bounds are exclusive. */
export interface FeedRange {
  afterUs: number;
  beforeUs: number;
  newestFirst: boolean;
  limit: number;
  /** Whether to read whole assets; otherwise ids and instants, which an index covers. */
  whole: boolean;
}

export interface FeedEntry {
  id: string;
  modifiedUs: number;
  /** Only if whole assets were requested. */
  asset: ReadAsset | undefined;
}

export interface FeedSnapshot {
  /** The clock in the same snapshot as the entries: no entry is newer. */
  clockUs: number;
  /** The epoch, from the same snapshot. */
  epoch: string;
  /** The maximum of entries: as requested, or fewer if large assets fill the page. */
  limit: number;
  entries: FeedEntry[];
}

/** A row of page 1 to n; the clock's row has page 0, no id, and the epoch. */
type FeedRow = Pick<ReadRow, 'id'> & { page: number; feedUs: number | string; epoch: string | null };
type WholeRow = FeedRow & SizedRow;

/** Plain pages are small, so several share one round trip. */
const LIMITS = { keys: 8, concurrent: 2 };

@Injectable()
export class FeedReader {
  private readonly oldestFirst = this.loaderOfPages();
  private readonly newestFirst = this.loaderOfPages();

  constructor(private readonly database: Database) {}

  get atomicViews(): boolean {
    return this.database.dialect.atomicViews;
  }

  /** Reads a page and the clock from one snapshot. @throws ApiError 503 while the database is away */
  async read(range: FeedRange): Promise<FeedSnapshot> {
    if (range.whole) return this.readWhole(range);
    const loader = range.newestFirst ? this.newestFirst : this.oldestFirst;
    return (await loader.load(range)) as FeedSnapshot;
  }

  /** Ends the page where its size limit is reached. If that takes several statements, page and clock come from the last one. */
  private async readWhole(range: FeedRange): Promise<FeedSnapshot> {
    const fetch = (most: number, largest: number) => this.fetchWhole(range, most, largest);
    const { read, rows, limit } = await readWithinLimit(range.limit, fetch);
    const entries = rows.map((row) => ({ ...toEntry(row), asset: toReadAsset(row) }));
    return { clockUs: read.clockUs, epoch: read.epoch, limit, entries };
  }

  /** One statement, so one snapshot. @param largest bodies of more bytes are not read */
  private async fetchWhole(range: FeedRange, limit: number, largest: number) {
    const values = [largest, range.afterUs, range.beforeUs, limit].map(BigInt);
    const all = await this.database.read<WholeRow>(pagesSql([range], this.database.dialect), values);
    const rows = inOrder(
      all.filter(({ page }) => page === 1),
      range,
    );
    return { ...clockOf(all), rows };
  }

  private loaderOfPages(): DataLoader<FeedRange, FeedSnapshot> {
    return new DataLoader((ranges: readonly FeedRange[]) => this.fetch(ranges), LIMITS);
  }

  /** Reads plain pages by one statement, so from one snapshot. @param ranges of the same direction */
  private async fetch(ranges: readonly FeedRange[]): Promise<Map<FeedRange, FeedSnapshot>> {
    // Padded with empty pages, so that there are few texts to prepare.
    const asked = padded(ranges).map((range, i) => (i < ranges.length ? range : { ...range, limit: 0 }));
    const values = asked.flatMap(({ afterUs, beforeUs, limit }) => [afterUs, beforeUs, limit].map(BigInt));
    const rows = await this.database.read<FeedRow>(pagesSql(asked, this.database.dialect), values);
    const clock = clockOf(rows);
    const pages = ranges.map((): FeedRow[] => []);
    for (const row of rows) pages[row.page - 1]?.push(row);
    const entriesOf = (range: FeedRange, i: number): FeedEntry[] => inOrder(pages[i] ?? [], range).map(toEntry);
    return new Map(ranges.map((range, i) => [range, { ...clock, limit: range.limit, entries: entriesOf(range, i) }]));
  }

  /** Reads the clock once no batch has it locked: every batch up to it has ended, and is visible to later reads. */
  async readPoint(): Promise<number> {
    const sql = `SELECT last_us FROM feed_clock WHERE id = 1 ${this.database.dialect.sql.forShare}`;
    const [row] = await this.database.read<{ last_us: number | string }>(sql);
    return Number(row?.last_us);
  }
}

/**
 * Selects the clock's row and the rows of all pages in one statement, so from one read view. UNION ALL needs no temporary table, and sends
 * the clock once instead of with each row.
 */
function pagesSql(ranges: readonly FeedRange[], dialect: Dialect): string {
  const [{ newestFirst, whole }] = ranges as [FeedRange];
  const [read, none] = whole ? [sizedSql(dialect), UNSIZED_SQL] : ['id', 'NULL AS id'];
  const rows = `${read}, feed_us, NULL FROM asset ${dialect.sql.forceIndex('uq_asset_feed_us')} WHERE feed_us > ? AND feed_us < ? ORDER BY feed_us ${newestFirst ? 'DESC' : 'ASC'} LIMIT ?`;
  const pages = ranges.map((_, i) => dialect.sql.unionPart(`SELECT ${i + 1}, ${rows}`));
  return `SELECT 0 AS page, ${none}, last_us AS feedUs, epoch FROM feed_clock WHERE id = 1 UNION ALL ${pages.join(' UNION ALL ')}`;
}

function clockOf(rows: readonly FeedRow[]): Pick<FeedSnapshot, 'clockUs' | 'epoch'> {
  const clock = rows.find(({ page }) => page === 0);
  return { clockUs: Number(clock?.feedUs), epoch: String(clock?.epoch) };
}

function toEntry({ id, feedUs }: FeedRow): FeedEntry {
  return { id, modifiedUs: Number(feedUs), asset: undefined };
}

/** Sorts rows, because databases don't guarantee the order of a UNION's parts. */
function inOrder<Row extends FeedRow>(rows: Row[], { newestFirst }: FeedRange): Row[] {
  const direction = newestFirst ? -1 : 1;
  return rows.sort((one, other) => direction * (Number(one.feedUs) - Number(other.feedUs)));
}
