import type { AssetType } from '../../asset-types/asset-type.js';
import { findFaultsOfType } from '../../asset-types/asset-type-faults.js';
import { AssetTypeError } from '../../asset-types/asset-types.js';
import { faultsOfFields } from './field-faults.js';
import { faultsOfMoves } from './move-faults.js';

/**
 * Tests an asset type as the built-in ones are tested, in any test runner: the checks at start, each field of its example with invalid
 * values, and each move by each actor.
 * @throws AssetTypeError that lists every fault; if the checks at start fail, only theirs
 */
export function checkAssetType(type: AssetType): void {
  const faults = findFaultsOfType(type);
  if (faults.length === 0) faults.push(...faultsOfFields(type), ...faultsOfMoves(type));
  if (faults.length === 0) return;
  const lines = faults.map((fault) => `- ${fault}`);
  throw new AssetTypeError([`Asset type ${type.name} breaks the contract:`, ...lines].join('\n'));
}
