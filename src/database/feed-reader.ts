import { Injectable } from '@nestjs/common';
import { ASSET_COLUMNS, type AssetRow, toAsset } from './asset-row.js';
import { Database } from './database.js';
import type { Asset } from './entities/asset.entity.js';

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
  /** Present when whole assets were asked for. */
  asset: Asset | undefined;
}

export interface FeedSnapshot {
  /** The clock in the same snapshot as the entries: nothing that the snapshot shows is newer. */
  clockUs: number;
  /** Of the same snapshot too: which history it belongs to. */
  epoch: string;
  entries: FeedEntry[];
}

type FeedRow = AssetRow & { clock_us: number | string; epoch: string; id: string | null };

/** Reads of the feed. */
@Injectable()
export class FeedReader {
  constructor(private readonly database: Database) {}

  get atomicViews(): boolean {
    return this.database.dialect.atomicViews;
  }

  /** One statement, so one snapshot. */
  async read(range: FeedRange): Promise<FeedSnapshot> {
    const rows = await this.database.read<FeedRow>(pageSql(range), [range.afterUs, range.beforeUs, range.limit]);
    const entries = rows.filter((row) => row.id !== null);
    return {
      clockUs: Number(rows[0]?.clock_us),
      epoch: String(rows[0]?.epoch),
      entries: entries.map((row) => toEntry(row, range.whole)),
    };
  }

  /**
   * The clock, read once no writer holds it: every batch up to it is over, and visible to any read that begins afterwards.
   */
  async readPoint(): Promise<number> {
    const [row] = await this.database.read<{ last_us: number | string }>(this.database.dialect.readPointSql);
    return Number(row?.last_us);
  }
}

function pageSql({ newestFirst, whole }: FeedRange): string {
  const columns = whole ? ASSET_COLUMNS.join(', ') : 'id, feed_us';
  const order = newestFirst ? 'DESC' : 'ASC';
  return `SELECT clock.last_us AS clock_us, clock.epoch AS epoch, page.* FROM feed_clock AS clock
    LEFT JOIN (SELECT ${columns} FROM asset WHERE feed_us > ? AND feed_us < ? ORDER BY feed_us ${order} LIMIT ?) AS page ON 1 = 1
    WHERE clock.id = 1 ORDER BY page.feed_us ${order}`;
}

function toEntry(row: FeedRow, whole: boolean): FeedEntry {
  return { id: row.id, modifiedUs: Number(row.feed_us), asset: whole ? toAsset(row) : undefined };
}
