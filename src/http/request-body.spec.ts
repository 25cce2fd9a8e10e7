import { describe, expect, it } from '@jest/globals';
import { parseEnvelope } from './request-body.js';

const parse = (text: string | Buffer) => parseEnvelope(Buffer.from(text as string));
const nested = (depth: number): string => `${'{"data":'.repeat(depth)}{}${'}'.repeat(depth)}`;

describe('parseEnvelope', () => {
  it('gives what stands under data and access', () => {
    expect(parse('{"data":{"a":1},"access":{"token":"t"},"other":5}')).toEqual({
      data: { a: 1 },
      access: { token: 't' },
    });
  });

  it.each([
    ['text that is no JSON', 'data'],
    ['nothing', ''],
    ['an array', '[]'],
    ['null', 'null'],
    ['a byte order mark', '\ufeff{"data":{}}'],
    ['a repeated key', '{"data":{"a":1,"a":1}}'],
    ['a repeated key of an unknown member', '{"data":{},"x":{"a":1,"a":1}}'],
    ['a depth of 17', nested(16)],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a comma at the end', '{"data":{},}'],
    ['a broken escape in a key', '{"\\u00":1}'],
  ])('refuses %s', (_, text) => {
    expect(() => parse(text)).toThrow('No JSON object could be decoded');
  });

  it('takes a depth of 16', () => {
    expect(parse(nested(15)).data).toBeDefined();
  });

  it.each(['{}', '{"data":null}', '{"data":[]}', '{"data":"x"}', '{"__proto__":{"data":{}}}'])(
    'misses data in %s',
    (text) => {
      expect(() => parse(text)).toThrow('Data not available');
    },
  );

  it('makes NaN of a number that would not be kept exactly', () => {
    expect(parse('{"data":{"a":{"b":[1e999,1]}}}').data).toEqual({ a: { b: [NaN, 1] } });
  });

  it('reaches no prototype by a hostile key', () => {
    const { data } = parse('{"data":{"__proto__":{"polluted":1e999}}}');
    expect(Object.hasOwn(data, '__proto__')).toBe(true);
    expect('polluted' in {}).toBe(false);
  });
});
