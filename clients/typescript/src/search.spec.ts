import { expect, it } from '@jest/globals';
import { searchQuery } from './search.js';

it.each([
  [0.000_000_5, '0.0000005'],
  [0.000_000_001, '0.000000001'],
  [0.000_000_123_456_789_012_345, '0.000000123456789012345'],
  [0.000_001, '0.000001'],
  [0.1, '0.1'],
  [49_999.99, '49999.99'],
  [123_456_789_012_345, '123456789012345'],
  [1e21, '1000000000000000000000'],
  [0, '0'],
  ['1e-7', '1e-7'],
])('a search for amounts up to %s asks for %s', (valueTo, printed) => {
  expect(searchQuery({ currency: 'UAH', valueTo })).toEqual({ currency: 'UAH', valueTo: printed });
});
