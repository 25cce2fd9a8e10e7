import type { AssetType } from '../../asset-types/asset-type.js';
import { findFaultsOfType } from '../../asset-types/asset-type-faults.js';
import { AssetTypeError } from '../../asset-types/asset-types.js';
import { faultsOfFields } from './field-faults.js';
import { faultsOfMoves } from './move-faults.js';

/**
 * Tries an asset type as the built-in ones are tried, in any test runner: what a start refuses, each field of the example with values that it
 * may not have, and each move by each actor.
 * @throws AssetTypeError that lists every fault; a type that no start would accept is not tried further
 */
export function checkAssetType(type: AssetType): void {
  const faults = findFaultsOfType(type);
  if (faults.length === 0) faults.push(...faultsOfFields(type), ...faultsOfMoves(type));
  if (faults.length === 0) return;
  const lines = faults.map((fault) => `- ${fault}`);
  throw new AssetTypeError([`Asset type ${type.name} breaks the contract:`, ...lines].join('\n'));
}
