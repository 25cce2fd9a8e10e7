import type { AssetType } from '../asset-types/asset-type.js';
import { lifecycleOf } from '../asset-types/lifecycle.js';
import { isSameDigest, secretDigest } from '../auth/api-key.js';
import type { Asset } from '../database/entities/asset.entity.js';
import type { TransferCode } from '../database/entities/transfer-code.entity.js';
import { transferCodeRefused } from '../platform/errors/errors.js';
import type { DecidedAsset } from '../feed/writing/operation.js';
import { refusedChange } from './refusals.js';

/** Digest to compare with if there is no code, so that the check takes the same time. */
const NO_CODE = secretDigest('');

/** A request of a broker to take an asset over. */
export interface Takeover {
  newOwner: string;
  /** Digest of the transfer code in the request; undefined if it is not a string. */
  codeDigest: string | undefined;
  /** Digest of the asset's new owner token. */
  tokenDigest: string;
}

/**
 * An asset can be transferred only in a state in which its owner may change it. Source: contract section 13.
 * @throws ApiError 403
 */
export function checkTransferable(asset: Asset, type: AssetType): void {
  const lifecycle = lifecycleOf(type);
  if (lifecycle.states[asset.status]?.editors.owner === undefined)
    throw refusedChange(lifecycle, asset.status, 'owner');
}

/**
 * Transfers an asset to the broker, with a new owner token.
 * @param code the stored transfer code of the asset
 * @param nowUs the time, in microseconds
 * @throws ApiError 403, with the same text for every fault of the code
 */
export function transferAsset(
  asset: Asset,
  code: TransferCode | undefined,
  { newOwner, codeDigest, tokenDigest }: Takeover,
  nowUs: number,
): DecidedAsset {
  const isSame = isSameDigest(codeDigest ?? NO_CODE, code?.digest ?? NO_CODE);
  const isRight = isSame && codeDigest !== undefined && code !== undefined && code.expiresUs > nowUs;
  if (!isRight || asset.owner === newOwner) throw transferCodeRefused();
  const { id, assetType, status, relatedLot, body, feedUs } = asset;
  const listed = feedUs !== null;
  return { id, assetType, status, owner: newOwner, tokenDigest, relatedLot, body, listed, changed: ['owner'] };
}
