import { Injectable } from '@nestjs/common';
import { ASSETS, type ReadAsset, READ_ASSETS, type ReadRow, toReadAsset } from './asset-row.js';
import { Database } from '../database.js';
import type { Asset } from '../entities/asset.entity.js';
import { PAGE_BYTES } from './page-size-limit.js';
import type { RowOf } from '../entities/entity-table.js';
import { DataLoader } from './data-loader.js';
import { padded, placeholdersFor } from '../connections/session.js';

/** Two statements, so that a slow one does not block all others. */
const LIMITS = { keys: 64, concurrent: 2 };

export interface FittingAssets {
  assets: ReadAsset[];
  /** Number of ids that were read, from the first on. `assets` has those that exist. */
  idsRead: number;
}

@Injectable()
export class AssetReader {
  private readonly assets = new DataLoader<string, ReadAsset>((ids) => this.fetch(ids), LIMITS);
  private readonly rows = new DataLoader<string, Asset>((ids) => this.fetchRows(ids), LIMITS);
  private readonly columns: string;

  constructor(private readonly database: Database) {
    const { dialect } = database;
    this.columns = READ_ASSETS.select((column) => (column === 'body' ? dialect.sql.bytes(column) : column));
  }

  /** @param id 32 lower-case hex characters @throws ApiError 503 while the database is away */
  find(id: string): Promise<ReadAsset | undefined> {
    return this.assets.load(id);
  }

  /** All columns. @param id 32 lower-case hex characters @throws ApiError 503 while the database is away */
  findRow(id: string): Promise<Asset | undefined> {
    return this.rows.load(id);
  }

  /** A listed asset by its assetID. @throws ApiError 503 while the database is away */
  async findListed(assetId: string): Promise<ReadAsset | undefined> {
    const sql = `SELECT ${this.columns} FROM asset WHERE asset_id = ? AND feed_us IS NOT NULL`;
    const [row] = await this.database.read<ReadRow>(sql, [assetId]);
    return row && toReadAsset(row);
  }

  /** Whether there is any asset, including drafts. @throws ApiError 503 while the database is away */
  async anyExists(): Promise<boolean> {
    return (await this.database.read('SELECT id FROM asset LIMIT 1')).length > 0;
  }

  /**
   * Assets in the order of the ids: as many of the first as fit into a page (page-size-limit.ts), but at least one.
   * @throws ApiError 503 while the database is away
   */
  async findFitting(ids: readonly string[]): Promise<FittingAssets> {
    const assets: ReadAsset[] = [];
    let bytes = 0;
    for (let at = 0; at < ids.length; at += LIMITS.keys) {
      const some = ids.slice(at, at + LIMITS.keys);
      const found = await this.fetch(some);
      for (const [i, id] of some.entries()) {
        const asset = found.get(id);
        bytes += asset?.body.length ?? 0;
        if (bytes > PAGE_BYTES && assets.length > 0) return { assets, idsRead: at + i };
        if (asset !== undefined) assets.push(asset);
      }
    }
    return { assets, idsRead: ids.length };
  }

  private async fetch(ids: readonly string[]): Promise<Map<string, ReadAsset>> {
    const values = padded(ids);
    const sql = `SELECT ${this.columns} FROM asset WHERE id IN (${placeholdersFor(values)})`;
    const rows = await this.database.read<ReadRow>(sql, values);
    return new Map(rows.map((row) => [row.id, toReadAsset(row)]));
  }

  private async fetchRows(ids: readonly string[]): Promise<Map<string, Asset>> {
    const values = padded(ids);
    const sql = `SELECT ${ASSETS.select()} FROM asset WHERE id IN (${placeholdersFor(values)})`;
    const rows = await this.database.read<RowOf<Asset>>(sql, values);
    return new Map(rows.map((row) => [row.id, ASSETS.toEntity(row)]));
  }
}
