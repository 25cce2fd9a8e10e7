import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { GrowingBytes, letGo, readBytes } from './read-bytes.js';

const KIB = 1024;
const piece = (kib: number, value: number): Buffer => Buffer.alloc(kib * KIB, value);
const gather = (...pieces: Buffer[]): { bytes: Buffer; from: GrowingBytes } => {
  const from = new GrowingBytes(1024 * KIB);
  for (const one of pieces) from.add(one);
  expect(from.length).toBe(Buffer.concat(pieces).length);
  return { bytes: from.take(), from };
};
const memoryOf = (...pieces: Buffer[]): ArrayBuffer => gather(...pieces).bytes.buffer as ArrayBuffer;

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

  it('keep no piece that they were given behind the first: each takes hundreds of bytes, and may be one', () => {
    const from = new GrowingBytes(1024 * KIB);
    from.add(Buffer.of(1));
    for (let i = 0; i < 5_000; i++) {
      const one = Buffer.of(1);
      from.add(one);
      one[0] = 2;
    }
    expect(from.take().equals(Buffer.alloc(5_001, 1))).toBe(true);
  });

  it('have memory of their own that is as large as they are, where they are many', () => {
    const buffer = memoryOf(piece(64, 1), piece(64, 2), piece(64, 3));
    expect([buffer.resizable, buffer.byteLength]).toEqual([true, 192 * KIB]);
  });

  it('have none where they are few, however many pieces they are: a process may have some thousands', () => {
    expect(memoryOf(...Array.from({ length: 64 }, () => piece(1, 1))).resizable).toBe(false);
  });

  it.each([[[piece(1, 1)]], [[piece(64, 1), piece(64, 2)]]])('are not kept once they are taken', (pieces) => {
    const { from } = gather(...pieces);
    expect([from.length, from.take().length]).toEqual([0, 0]);
  });

  it('give their memory back as soon as they are let go, where they are many', () => {
    const [large, small] = [gather(piece(64, 1), piece(64, 2)).bytes, gather(piece(1, 1), piece(1, 2)).bytes];
    const { buffer } = large;
    letGo(large);
    letGo(small);
    expect([buffer.byteLength, small.length]).toEqual([0, 2 * KIB]);
  });
});

describe('the memory of a large body', () => {
  const MIB = 1024 * KIB;

  it.each([
    ['exceeds the limit', (request: PassThrough) => void request.write(piece(2048, 1))],
    ['is broken off', (request: PassThrough) => void request.destroy()],
  ])('is given back at once where it %s', async (_, fail) => {
    const emptied = jest.spyOn(ArrayBuffer.prototype, 'resize');
    const request = Object.assign(new PassThrough(), { headers: {}, socket: { writable: true } });
    const read = readBytes(request as unknown as IncomingMessage, MIB);
    request.write(piece(64, 1));
    request.write(piece(64, 2));
    await turn();
    fail(request);
    await expect(read).rejects.toBeDefined();
    expect(emptied.mock.calls).toEqual([[0]]);
    emptied.mockRestore();
  });
});
