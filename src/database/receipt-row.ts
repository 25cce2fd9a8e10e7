import type { Receipt } from './entities/receipt.entity.js';

/** Columns of the table, in the order in which rows are written. */
export const RECEIPT_COLUMNS = ['id', 'body_digest', 'asset_id', 'salt', 'created_us'] as const;

/** A row as drivers hand it out: MySQL's writes BIGINT as text. */
export interface ReceiptRow {
  id: string;
  body_digest: string;
  asset_id: string;
  salt: string;
  created_us: number | string;
}

export function toReceipt(row: ReceiptRow): Receipt {
  return {
    id: row.id,
    bodyDigest: row.body_digest,
    assetId: row.asset_id,
    salt: row.salt,
    createdUs: Number(row.created_us),
  };
}

/** The values of a row in the order of RECEIPT_COLUMNS. */
export function toReceiptRow({ id, bodyDigest, assetId, salt, createdUs }: Receipt): unknown[] {
  return [id, bodyDigest, assetId, salt, createdUs];
}
