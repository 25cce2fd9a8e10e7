import { expect, it } from '@jest/globals';
import { truncate } from './truncate.js';

it.each([
  ['земля', 5, 'земля'],
  ['земля', 4, 'земл'],
  ['a🚀', 2, 'a'],
  ['a\ud83d', 2, 'a\ud83d'],
])('%j cut to %i units is %j', (text, max, expected) => expect(truncate(text, max)).toBe(expected));
