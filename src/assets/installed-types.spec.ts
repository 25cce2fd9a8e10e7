import { expect, it } from '@jest/globals';
import type { AssetType } from '../asset-types/asset-type.js';
import * as installed from '../asset-types/installed.js';
import { checkAssetType } from './type-check/check-asset-type.js';

const TYPES: readonly AssetType[] = Object.values(installed);

it.each(TYPES)('the asset type $name fulfils the contract of asset types', (type) => {
  expect(() => checkAssetType(type)).not.toThrow();
});
