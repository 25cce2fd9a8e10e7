import { expect, it } from '@jest/globals';
import { hasDuplicateName } from './duplicate-names.js';

it.each([
  ['{}', false],
  ['null', false],
  ['[1,{"a":":","b":{"a":[{"a":"\\":\\\\"}]}}]', false],
  ['{"__proto__":1,"a":2}', false],
  ['{"a":1,"a":1}', true],
  ['{"a":1,"\\u0061":1}', true],
  ['{"b":[{"c":{"__proto__":1,"__proto__":2}}]}', true],
  ['{"items":[{"a":1,"b":{"a":2}},{"a":1,"a":2}]}', true],
])('%s has a duplicate name: %s', (text, expected) => expect(hasDuplicateName(text, JSON.parse(text))).toBe(expected));

it.each([
  ['many escapes', JSON.stringify({ a: 'x:\n'.repeat(500_000) })],
  ['more levels than the stack', `{"deep":${'['.repeat(50_000)}{"a":1}${']'.repeat(50_000)}}`],
])('a text with %s has none', (_, text) => expect(hasDuplicateName(text, JSON.parse(text))).toBe(false));
