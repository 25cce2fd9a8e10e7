import { printFields, withItemIds } from '../asset-types/fields-json.js';
import { lifecycleOf } from '../asset-types/lifecycle.js';
import { secretDigest } from '../auth/api-key.js';
import type { DraftedAsset } from '../feed/writing/operation.js';
import { checkSize } from './asset-change.js';
import type { NewAsset } from './new-asset.pipe.js';

/** What a new asset gets from the registry. */
interface GivenToAsset {
  /** Name of the broker's account. */
  owner: string;
  /** The owner token, of which the digest is kept. */
  token: string;
  /** Gives its id to an item that comes without one. */
  itemIds: () => string;
}

/** A new asset in the first state of its type. @throws ApiError 422 for one that is too large */
export function draftOf(id: string, { type, fields }: NewAsset, { owner, token, itemIds }: GivenToAsset): DraftedAsset {
  const { initial, states } = lifecycleOf(type);
  return {
    id,
    assetType: type.name,
    status: initial,
    owner,
    tokenDigest: secretDigest(token),
    relatedLot: null,
    body: checkSize(printFields(type.dto, withItemIds(type.dto, fields, itemIds))),
    listed: states[initial]?.listed === true,
    changed: [],
  };
}
