import { expect, it } from '@jest/globals';
import { counted } from './counted.js';

it('counts one as one', () => {
  expect([0, 1, 2].map((count) => counted(count, 'asset'))).toEqual(['0 assets', '1 asset', '2 assets']);
});
