import { Injectable } from '@nestjs/common';
import { Database } from '../database.js';

/** A listed asset, and its last change in microseconds. */
export interface ChangedAsset {
  assetId: string;
  status: string;
  changedUs: number;
}

/** Instants in microseconds; `untilUs` is exclusive. */
export interface ChangeRange {
  fromUs: number;
  untilUs: number;
}

type Numbers<Name extends string> = Record<Name, number | string | null>;

/** Reads listed assets by the time of their last change, without their bodies; mostly from indexes. */
@Injectable()
export class MonthReader {
  constructor(private readonly database: Database) {}

  /** The oldest and the newest last change; undefined if no asset is listed. @throws ApiError 503 while the database is away */
  async span(): Promise<{ firstUs: number; lastUs: number } | undefined> {
    const sql = 'SELECT (SELECT MIN(feed_us) FROM asset) AS firstUs, (SELECT MAX(feed_us) FROM asset) AS lastUs';
    const [row] = await this.database.read<Numbers<'firstUs' | 'lastUs'>>(sql);
    if (row === undefined || row.firstUs === null) return undefined;
    return { firstUs: Number(row.firstUs), lastUs: Number(row.lastUs) };
  }

  /** The number of assets last changed in a range, and the newest change. @throws ApiError 503 while the database is away */
  async count({ fromUs, untilUs }: ChangeRange): Promise<{ count: number; lastUs: number }> {
    const { forceIndex } = this.database.dialect.sql;
    const sql = `SELECT COUNT(*) AS count, MAX(feed_us) AS lastUs FROM asset ${forceIndex('uq_asset_feed_us')} WHERE feed_us >= ? AND feed_us < ?`;
    const [row] = await this.database.read<Numbers<'count' | 'lastUs'>>(sql, [fromUs, untilUs].map(BigInt));
    return { count: Number(row?.count), lastUs: Number(row?.lastUs) };
  }

  /** Assets last changed in a range, the oldest change first. @throws ApiError 503 while the database is away */
  async list({ fromUs, untilUs }: ChangeRange, skip: number, limit: number): Promise<ChangedAsset[]> {
    const { forceIndex } = this.database.dialect.sql;
    // Skips rows within the index.
    const found = `SELECT id, feed_us FROM asset ${forceIndex('ix_asset_feed')} WHERE feed_us >= ? AND feed_us < ? ORDER BY feed_us LIMIT ? OFFSET ?`;
    const sql = `SELECT asset.asset_id AS assetId, asset.status, found.feed_us AS changedUs FROM (${found}) found JOIN asset ON asset.id = found.id ORDER BY found.feed_us`;
    const values = [fromUs, untilUs, limit, skip].map(BigInt);
    const rows = await this.database.read<ChangedAsset & Numbers<'changedUs'>>(sql, values);
    return rows.map((row) => ({ ...row, changedUs: Number(row.changedUs) }));
  }
}
