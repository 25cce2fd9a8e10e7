import { EncodedText } from '../text/encoded-text.js';
import type { Asset } from './entities/asset.entity.js';

/** Columns of the table, in the order in which rows are written. */
export const ASSET_COLUMNS = [
  'id',
  'asset_id',
  'asset_type',
  'status',
  'owner',
  'token_digest',
  'related_lot',
  'body',
  'version',
  'created_us',
  'modified_us',
  'feed_us',
] as const;

/** A row as drivers hand it out: MySQL's writes BIGINT as text. */
export interface AssetRow {
  id: string;
  asset_id: string;
  asset_type: string;
  status: string;
  owner: string;
  token_digest: string;
  related_lot: string | null;
  body: string;
  version: number;
  created_us: number | string;
  modified_us: number | string;
  feed_us: number | string | null;
}

/** What is answered of an asset. */
export type ReadAsset = Omit<Asset, 'tokenDigest' | 'version' | 'feedUs' | 'body'> & { body: EncodedText };

/** Its columns; that of the body is asked for as bytes, and goes out as it is. */
export const READ_COLUMNS = [
  'id',
  'asset_id',
  'asset_type',
  'status',
  'owner',
  'related_lot',
  'body',
  'created_us',
  'modified_us',
] as const;

export type ReadRow = Omit<AssetRow, 'token_digest' | 'version' | 'feed_us' | 'body'> & { body: Buffer };

export function toReadAsset(row: ReadRow): ReadAsset {
  return {
    id: row.id,
    assetId: row.asset_id,
    assetType: row.asset_type,
    status: row.status,
    owner: row.owner,
    relatedLot: row.related_lot,
    body: EncodedText.from(row.body),
    createdUs: Number(row.created_us),
    modifiedUs: Number(row.modified_us),
  };
}

export function toAsset(row: AssetRow): Asset {
  return {
    id: row.id,
    assetId: row.asset_id,
    assetType: row.asset_type,
    status: row.status,
    owner: row.owner,
    tokenDigest: row.token_digest,
    relatedLot: row.related_lot,
    body: row.body,
    version: row.version,
    createdUs: Number(row.created_us),
    modifiedUs: Number(row.modified_us),
    feedUs: row.feed_us === null ? null : Number(row.feed_us),
  };
}

/** The values of a row in the order of ASSET_COLUMNS. */
export function toRow(asset: Asset): unknown[] {
  return [
    asset.id,
    asset.assetId,
    asset.assetType,
    asset.status,
    asset.owner,
    asset.tokenDigest,
    asset.relatedLot,
    asset.body,
    asset.version,
    asset.createdUs,
    asset.modifiedUs,
    asset.feedUs,
  ];
}
