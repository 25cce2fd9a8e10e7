import { expect, it } from '@jest/globals';
import { AssetTypes } from './asset-types.js';
import * as installed from './installed.js';

it('the installed types may stand beside each other', () => {
  expect(() => new AssetTypes(Object.values(installed))).not.toThrow();
});
