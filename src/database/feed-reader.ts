import { Injectable } from '@nestjs/common';
import { ASSET_COLUMNS, type AssetRow, toAsset } from './asset-row.js';
import { Database } from './database.js';
import type { Dialect } from './dialects/dialect.js';
import type { Asset } from './entities/asset.entity.js';

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

/** The first of these columns are the page's; the clock's row has no id, the page's rows have no epoch. */
type FeedRow = AssetRow & { epoch: string | null };

/** Reads of the feed. */
@Injectable()
export class FeedReader {
  constructor(private readonly database: Database) {}

  get atomicViews(): boolean {
    return this.database.dialect.atomicViews;
  }

  /** One statement, so one snapshot. */
  async read(range: FeedRange): Promise<FeedSnapshot> {
    const values = [range.afterUs, range.beforeUs, range.limit].map(BigInt);
    const rows = await this.database.read<FeedRow>(pageSql(range, this.database.dialect), values);
    const clock = rows.find((row) => row.epoch !== null);
    const entries = rows.filter((row) => row.epoch === null).map((row) => toEntry(row, range.whole));
    return { clockUs: Number(clock?.feed_us), epoch: String(clock?.epoch), entries: inOrder(entries, range) };
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
 * The clock's row and the page's, from one read view as any statement's. A UNION has no temporary table and repeats nothing: the clock
 * beside each row would be sent as often as there are rows.
 */
function pageSql({ newestFirst, whole }: FeedRange, dialect: Dialect): string {
  const columns = whole ? ASSET_COLUMNS : PLAIN_COLUMNS;
  const clock = columns.map((column) => (column === 'feed_us' ? 'last_us AS feed_us' : `NULL AS ${column}`));
  const page = `SELECT ${columns.join(', ')}, NULL FROM asset WHERE feed_us > ? AND feed_us < ? ORDER BY feed_us ${newestFirst ? 'DESC' : 'ASC'} LIMIT ?`;
  return `SELECT ${clock.join(', ')}, epoch FROM feed_clock WHERE id = 1 UNION ALL ${dialect.limitedPartSql(page)}`;
}

function toEntry(row: FeedRow, whole: boolean): FeedEntry {
  return { id: row.id, modifiedUs: Number(row.feed_us), asset: whole ? toAsset(row) : undefined };
}

/** No database changes the order of a part of a UNION, but none promises it. */
function inOrder(entries: FeedEntry[], { newestFirst }: FeedRange): FeedEntry[] {
  const direction = newestFirst ? -1 : 1;
  return entries.sort((a, b) => direction * (a.modifiedUs - b.modifiedUs));
}
