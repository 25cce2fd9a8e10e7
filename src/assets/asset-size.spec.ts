import { expect, it } from '@jest/globals';
import { checkSize, MOST_BYTES } from './asset-size.js';

it.each([
  ['a', 1],
  ['я', 2],
  ['€', 3],
  ['😀', 4],
])('an asset takes at most 1 MiB, made of %s', (text, bytes) => {
  const most = text.repeat(Math.floor(MOST_BYTES / bytes));
  expect(checkSize(most)).toBe(most);
  expect(() => checkSize(`${most}${text}`)).toThrow('422 body data: The fields of an asset take at most 1 MiB');
});
