import type { Asset } from '../../database/entities/asset.entity.js';
import type { DraftedAsset } from './operation.js';

/**
 * An asset as a change leaves it.
 * @param current the asset before; undefined for a new one
 * @param us the change's instant, in microseconds
 */
export function stamp(draft: DraftedAsset, current: Asset | undefined, us: number, assetId: string): Asset {
  const { id, assetType, status, owner, tokenDigest, relatedLot, body, listed } = draft;
  return {
    id,
    assetId,
    assetType,
    status,
    owner,
    tokenDigest,
    relatedLot,
    body,
    version: (current?.version ?? 0) + 1,
    createdUs: current?.createdUs ?? us,
    modifiedUs: us,
    feedUs: listed ? us : null,
  };
}
