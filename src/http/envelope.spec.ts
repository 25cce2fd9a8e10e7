import { describe, expect, it } from '@jest/globals';
import { parseEnvelope } from './envelope.js';

const parse = (text: string | Buffer) => parseEnvelope(Buffer.from(text as string));
const nested = (depth: number): string => `${'{"data":'.repeat(depth)}{}${'}'.repeat(depth)}`;

describe('parseEnvelope', () => {
  it('returns data and access', () => {
    const text = '{"data":{"a":1},"access":{"token":"t"},"other":5}';
    expect(parse(text)).toEqual({ data: { a: 1 }, access: { token: 't' }, bytes: Buffer.from(text), memoryBytes: 320 });
  });

  it.each([
    ['an array', '[]', 'it is JSON, but no object'],
    [
      'a repeated key of an unknown member',
      '{"data":{},"x":{"a":1,"a":1}}',
      'the key a is repeated at line 1, column 23',
    ],
    ['a depth of 17', nested(16), 'it is nested deeper than 16'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'it is not UTF-8'],
    [
      'a broken escape in the key of a number',
      '{"\\u00":1e99}',
      'a backslash begins no escape in the string at line 1, column 2',
    ],
  ])('refuses %s, and says why', (_, text, why) => {
    expect(() => parse(text)).toThrow(new Error(`422 body data: No JSON object could be decoded: ${why}`));
  });

  it('accepts as many members and values as an asset may have, and parses no more', () => {
    const elements = (count: number): string => `{"data":{"a":[${'0,'.repeat(count)}0]}}`;
    const members = (count: number): string =>
      `{"data":{${Array.from({ length: count }, (_, i) => `"${i}":0`).join(',')}}}`;
    const arrays = (count: number): string => `{"data":{"a":[${'[[]],'.repeat(count)}0]}}`;
    for (const text of [elements(19_997), members(9_999), arrays(6_665)]) expect(parse(text).data).toBeDefined();
    for (const text of [elements(19_998), members(10_000), arrays(6_666)])
      expect(() => parse(text)).toThrow('at most 10,000 members of objects and 20,000 values are taken');
  });

  it('replaces a number that cannot be stored exactly with NaN', () => {
    expect(parse('{"data":{"a":{"b":[1e999,1]}}}').data).toEqual({ a: { b: [NaN, 1] } });
  });

  it('does not change a prototype for a hostile key', () => {
    const { data } = parse('{"data":{"__proto__":{"polluted":1e999}}}');
    expect(Object.hasOwn(data, '__proto__')).toBe(true);
    expect('polluted' in {}).toBe(false);
  });
});
