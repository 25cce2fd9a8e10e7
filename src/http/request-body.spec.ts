import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it, jest } from '@jest/globals';
import { runSteps } from '../event-loop/turns.js';
import { readBytes } from './read-bytes.js';
import { parseEnvelope } from './request-body.js';

const parse = (text: string | Buffer) => runSteps(parseEnvelope(Buffer.from(text as string)));
const nested = (depth: number): string => `${'{"data":'.repeat(depth)}{}${'}'.repeat(depth)}`;

describe('parseEnvelope', () => {
  it('gives what stands under data and access', () => {
    const text = '{"data":{"a":1},"access":{"token":"t"},"other":5}';
    expect(parse(text)).toEqual({ data: { a: 1 }, access: { token: 't' }, bytes: Buffer.from(text), held: 320 });
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
    ['a broken escape in the key of a number', '{"\\u00":1e99}', 'a backslash begins no escape at line 1, column 3'],
  ])('refuses %s, and says why', (_, text, why) => {
    expect(() => parse(text)).toThrow(new Error(`422 body data: No JSON object could be decoded: ${why}`));
  });

  it('takes as many values as an asset may have, and looks at no more', () => {
    const elements = (count: number): string => `{"data":{"a":[${'0,'.repeat(count)}0]}}`;
    const objects = (...counts: number[]): string =>
      `{"data":{"a":[${counts.map((count) => `{${Array.from({ length: count }, (_, i) => `"${i}":0`).join(',')}}`).join(',')}]}}`;
    const arrays = (count: number): string => `{"data":{"a":[${'[[]],'.repeat(count / 2)}0]}}`;
    const inexact = (count: number): string => `{"data":{"a":[${'1e999,'.repeat(count)}0]}}`;
    for (const text of [elements(99_999), objects(10_000, 10_000, 9_998), arrays(99_996), inexact(1_000)])
      expect(parse(text).data).toBeDefined();
    for (const text of [
      elements(100_001),
      objects(10_000, 10_000, 9_999),
      objects(10_001),
      arrays(99_998),
      inexact(1_001),
    ])
      expect(() => parse(text)).toThrow(
        'A body with more than 30,000 members (10,000 in one object), 100,000 values or 1,000 numbers that cannot be kept is not looked at',
      );
  });

  it('parses a large one in pieces, and says the same of it', () => {
    const members = (count: number, last: string): string =>
      `{"data":{${Array.from({ length: count }, (_, i) => `"m${i}":{"a":"${'x'.repeat(20)}"}`).join(',')},${last}}}`;
    const text = members(5_000, '"last":1e999');
    const parsing = jest.spyOn(JSON, 'parse');
    const { data, held } = parse(text);
    const longest = Math.max(...parsing.mock.calls.map(([one]) => one.length));
    parsing.mockRestore();
    const whole = JSON.parse(text) as { data: object };
    expect([data, held]).toEqual([{ ...whole.data, last: NaN }, (5_000 + 5_002) * 64]);
    expect(longest).toBeLessThan(20 * 1024);
    const place = `line 1, column ${text.indexOf('"last"') + 1}`;
    expect(() => parse(members(5_000, '"m1":1'))).toThrow(`a key is repeated at ${place}`);
    expect(() => parse(members(5_000, 'last'))).toThrow(`a key in double quotes is missing at ${place}`);
  });

  it('makes NaN of a number that would not be kept exactly', () => {
    expect(parse('{"data":{"a":{"b":[1e999,1]}}}').data).toEqual({ a: { b: [NaN, 1] } });
  });

  it('reaches no prototype by a hostile key', () => {
    const { data } = parse('{"data":{"__proto__":{"polluted":1e999}}}');
    expect(Object.hasOwn(data, '__proto__')).toBe(true);
    expect('polluted' in {}).toBe(false);
  });
});

describe('readBytes', () => {
  /** A request whose body the test writes. */
  const request = (headers: IncomingMessage['headers'] = {}): PassThrough & IncomingMessage =>
    Object.assign(new PassThrough(), { headers, socket: { writable: true } }) as unknown as PassThrough &
      IncomingMessage;

  it('refuses one byte more, without waiting for the end', async () => {
    const body = request();
    const bytes = readBytes(body, 6);
    body.write('abcdefg');
    await expect(bytes).rejects.toMatchObject({ status: 413 });
  });

  it('refuses a length that was announced, before a byte has come', async () => {
    await expect(readBytes(request({ 'content-length': '7' }), 6)).rejects.toMatchObject({ status: 413 });
  });

  it('takes no body of which the rest comes after the answer that the request was too slow', async () => {
    const body = request();
    const bytes = readBytes(body, 6);
    body.write('abc');
    Object.assign(body.socket, { writable: false });
    body.end('def');
    await expect(bytes).rejects.toMatchObject({ status: 400 });
  });

  it('refuses one that has broken off already', async () => {
    const body = request();
    body.destroy();
    await once(body, 'close');
    await expect(readBytes(body, 6)).rejects.toMatchObject({ status: 400 });
  });
});
