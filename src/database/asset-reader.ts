import { Injectable } from '@nestjs/common';
import { ASSET_COLUMNS, type AssetRow, toAsset } from './asset-row.js';
import { Database } from './database.js';
import type { Asset } from './entities/asset.entity.js';
import type { Receipt } from './entities/receipt.entity.js';
import { RECEIPT_COLUMNS, type ReceiptRow, toReceipt } from './receipt-row.js';

/** Reads of single assets, and of what is kept of their creation. */
@Injectable()
export class AssetReader {
  private readonly receiptSql = `SELECT ${RECEIPT_COLUMNS.join(', ')} FROM receipt WHERE id = ?`;
  private readonly sql = `SELECT ${ASSET_COLUMNS.join(', ')} FROM asset WHERE id = ?`;

  constructor(private readonly database: Database) {}

  /** @param id 32 lower-case hex characters */
  async find(id: string): Promise<Asset | undefined> {
    const [row] = await this.database.read<AssetRow>(this.sql, [id]);
    return row === undefined ? undefined : toAsset(row);
  }

  async findReceipt(id: string): Promise<Receipt | undefined> {
    const [row] = await this.database.read<ReceiptRow>(this.receiptSql, [id]);
    return row === undefined ? undefined : toReceipt(row);
  }
}
