import { describe, expect, it } from '@jest/globals';
import { GrowingBytes } from './read-bytes.js';

const KIB = 1024;
const piece = (kib: number, value: number): Buffer => Buffer.alloc(kib * KIB, value);
const gather = (...pieces: Buffer[]): { bytes: Buffer; from: GrowingBytes } => {
  const from = new GrowingBytes(1024 * KIB);
  for (const one of pieces) from.add(one);
  expect(from.length).toBe(Buffer.concat(pieces).length);
  return { bytes: from.take(), from };
};

describe('growing bytes', () => {
  it.each([
    ['none', []],
    ['one piece', [piece(100, 1)]],
    ['small pieces', [piece(1, 1), piece(2, 2), piece(61, 3)]],
    ['pieces that become large', [piece(60, 1), piece(3, 2), piece(5, 3)]],
    ['large ones, some empty', [piece(0, 9), piece(65, 1), piece(65, 2), piece(0, 9), piece(1, 3)]],
    ['as many as may come', [piece(1, 1), piece(1023, 2)]],
  ])('are all that came: %s', (_, pieces) => {
    expect(gather(...pieces).bytes.equals(Buffer.concat(pieces))).toBe(true);
  });

  it.each([[[piece(1, 1)]], [[piece(64, 1), piece(64, 2)]]])('are not kept once they are taken', (pieces) => {
    const { from } = gather(...pieces);
    expect([from.length, from.take().length]).toEqual([0, 0]);
  });
});
