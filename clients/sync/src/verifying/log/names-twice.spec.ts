import { expect, it } from '@jest/globals';
import { namesTwice } from './names-twice.js';

it.each([
  ['{}', false],
  ['[1,{"a":":","b":{"a":[{"a":"\\":\\\\"}]}}]', false],
  ['{"__proto__":1,"a":2}', false],
  ['{"a":1,"a":1}', true],
  ['{"a":1,"\\u0061":1}', true],
  ['{"b":[{"c":{"__proto__":1,"__proto__":2}}]}', true],
])('%s has a name twice: %s', (text, expected) => expect(namesTwice(text, JSON.parse(text))).toBe(expected));

it('a long text with many escapes has none', () => {
  const text = JSON.stringify({ a: 'x:\n'.repeat(500_000) });
  expect(namesTwice(text, JSON.parse(text))).toBe(false);
});
