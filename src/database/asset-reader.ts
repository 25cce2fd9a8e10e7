import { Injectable } from '@nestjs/common';
import { ASSET_COLUMNS, type AssetRow, toAsset } from './asset-row.js';
import { Database } from './database.js';
import type { Asset } from './entities/asset.entity.js';

/** Reads of single assets. */
@Injectable()
export class AssetReader {
  private readonly sql = `SELECT ${ASSET_COLUMNS.join(', ')} FROM asset WHERE id = ?`;

  constructor(private readonly database: Database) {}

  /** @param id 32 lower-case hex characters */
  async find(id: string): Promise<Asset | undefined> {
    const [row] = await this.database.read<AssetRow>(this.sql, [id]);
    return row === undefined ? undefined : toAsset(row);
  }
}
