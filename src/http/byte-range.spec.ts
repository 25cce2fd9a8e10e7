import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../platform/errors/api-error.js';
import { byteRange } from './byte-range.js';

describe('a Range header for 100 bytes', () => {
  it.each([
    ['bytes=10-19', 10, 20],
    ['bytes=90-1000', 90, 100],
    ['bytes=-10', 90, 100],
    ['bytes=-1000', 0, 100],
    [`bytes=90-${'9'.repeat(23)}`, 90, 100],
    [`bytes=-${'9'.repeat(400)}`, 0, 100],
  ])('%s is from %i to %i', (header, from, to) => expect(byteRange(header, 100)).toEqual({ from, to }));

  it.each([undefined, 'bytes=-', 'bytes=5-4', 'bytes=0x1-2', 'lines=0-1'])('%s is the whole', (header) =>
    expect(byteRange(header, 100)).toBeUndefined(),
  );

  it.each(['bytes=100-', 'bytes=-0', `bytes=${'9'.repeat(400)}-`])('%s is refused, with the size', (header) => {
    let refusal: unknown;
    try {
      byteRange(header, 100);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal).toMatchObject({ status: 416, headers: { 'Content-Range': 'bytes */100' } });
  });
});
