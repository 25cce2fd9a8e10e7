import type { AssetType } from '../asset-types/asset-type.js';
import { lifecycleOf } from '../asset-types/lifecycle.js';
import { isSameDigest, secretDigest } from '../auth/api-key.js';
import type { Asset } from '../database/entities/asset.entity.js';
import type { TransferCode } from '../database/entities/transfer-code.entity.js';
import { transferCodeRefused } from '../platform/errors/errors.js';
import type { DraftedAsset } from '../feed/writing/operation.js';
import { refusedChange } from './refusals.js';

/** Compared with where there is no code, so that this takes no less time. */
const NO_CODE = secretDigest('');

/** A broker that takes an asset over. */
export interface Takeover {
  taker: string;
  /** Digest of the transfer code in the request; undefined where that is no string. */
  codeDigest: string | undefined;
  /** Digest of the asset's new owner token. */
  tokenDigest: string;
}

/**
 * An asset goes to another broker while its owner may change it. Source: contract section 13.
 * @throws ApiError 403
 */
export function checkTransferable(asset: Asset, type: AssetType): void {
  const lifecycle = lifecycleOf(type);
  if (lifecycle.states[asset.status]?.editors.owner === undefined)
    throw refusedChange(lifecycle, asset.status, 'owner');
}

/**
 * @param code what is kept of the transfer code of the asset
 * @param nowUs the time, in microseconds
 * @returns the asset as the broker's own; the old owner token is none any more
 * @throws ApiError 403, in the same words whatever is wrong with the code
 */
export function takenOver(
  asset: Asset,
  code: TransferCode | undefined,
  { taker, codeDigest, tokenDigest }: Takeover,
  nowUs: number,
): DraftedAsset {
  const isSame = isSameDigest(codeDigest ?? NO_CODE, code?.digest ?? NO_CODE);
  const isRight = isSame && codeDigest !== undefined && code !== undefined && code.expiresUs > nowUs;
  if (!isRight || asset.owner === taker) throw transferCodeRefused();
  const { id, assetType, status, relatedLot, body, feedUs } = asset;
  const listed = feedUs !== null;
  return { id, assetType, status, owner: taker, tokenDigest, relatedLot, body, listed, changed: ['owner'] };
}
