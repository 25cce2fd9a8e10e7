import { expect, it } from '@jest/globals';
import { AssetTypes } from './asset-types.js';
import * as installed from './installed.js';

it('the built-in types are valid and have different names', () => {
  expect(() => new AssetTypes(Object.values(installed))).not.toThrow();
});
