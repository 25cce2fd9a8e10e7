import { printFields, withItemIds } from '../asset-types/fields-json.js';
import { lifecycleOf } from '../asset-types/lifecycle.js';
import { secretDigest } from '../auth/api-key.js';
import type { DecidedAsset } from '../feed/writing/operation.js';
import { checkSize } from './asset-change.js';
import type { NewAsset } from './new-asset.pipe.js';

/** Values that the registry assigns to a new asset. */
interface AssignedValues {
  /** Name of the broker's account. */
  owner: string;
  /** The owner token; only its digest is stored. */
  token: string;
  /** Makes the id of an item without one. */
  itemIds: () => string;
}

/** @returns a new asset in the initial state of its type @throws ApiError 422 if it is too large */
export function createdAsset(
  id: string,
  { type, fields }: NewAsset,
  { owner, token, itemIds }: AssignedValues,
): DecidedAsset {
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
