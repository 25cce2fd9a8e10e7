import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  checksumOf,
  isWhole,
  bodyDelta,
  type BodyDelta,
  type DeltaPart,
  LARGE_FULL_BODY_INTERVAL,
  restoreBody,
  FULL_BODY_INTERVAL,
} from './body-delta.js';

const VERSION = 1;
const stored = ({ body, ...same }: BodyDelta): DeltaPart => ({ body: Buffer.from(body), ...same });
const restored = (kept: BodyDelta, after: string): string => restoreBody(stored(kept), Buffer.from(after)).toString();
/** Few characters, of one to four bytes, so that random texts share much. */
const filler = fc.constantFrom(0, 1, 255, 256, 257, 600).map((count) => 'я'.repeat(count));
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', 'ї', '€', '🏡', '🏢', '𝄞'), maxLength: 12 });

describe('a stored body', () => {
  it('is the difference from the next one, with the lengths of the shared parts', () => {
    expect(bodyDelta('{"title":"дім","n":1}', '{"title":"двір","n":1}', VERSION)).toEqual({
      body: 'ім',
      sameStart: 12,
      sameEnd: 8,
      checksum: checksumOf(Buffer.from('{"title":"дім","n":1}')),
    });
  });

  it.each([
    ['begins', '"🏡"', '"🏢"'],
    ['ends', '"\u{1F3E1}"', '"\u{1F7E1}"'],
  ])('has no half of a character, where another one %s alike', (_, before, after) => {
    expect(bodyDelta(before, after, VERSION)).toMatchObject({ body: before.slice(1, -1), sameStart: 1, sameEnd: 1 });
  });

  it('is whole at every eighth version', () => {
    const kept = bodyDelta('{"a":1}', '{"a":1}', FULL_BODY_INTERVAL);
    expect(kept).toMatchObject({ body: '{"a":1}', sameStart: 0, sameEnd: 0 });
    expect(isWhole(stored(kept))).toBe(true);
    expect(restored(kept, 'anything')).toBe('{"a":1}');
    expect(isWhole(stored(bodyDelta('{"a":1}', '{"a":2}', FULL_BODY_INTERVAL + 1)))).toBe(false);
  });

  it('is whole less often if it is large, and whenever an eighth of it has changed', () => {
    const body = (title: string): string => `{"title":"${title}","description":"${'я'.repeat(16 * 1024)}"}`;
    const isKeptWhole = (after: string, version: number): boolean =>
      isWhole(stored(bodyDelta(body('before'), after, version)));
    expect(
      [FULL_BODY_INTERVAL, LARGE_FULL_BODY_INTERVAL].map((version) => isKeptWhole(body('after'), version)),
    ).toEqual([false, true]);
    const shorter = (share: number): string => body('before').replace('я'.repeat(Math.ceil(16 * 1024 * share)), '');
    expect([1 / 9, 1 / 7].map((share) => isKeptWhole(shorter(share), VERSION))).toEqual([false, true]);
  });

  it('is restored byte for byte from the next one', () => {
    fc.assert(
      fc.property(text, text, text, text, filler, filler, (start, one, other, end, first, last) => {
        const [before, after] = [start + first + one + last + end, start + first + other + last + end];
        const kept = bodyDelta(before, after, VERSION);
        expect(kept.body.isWellFormed()).toBe(true);
        expect(restored(kept, after)).toBe(before);
        expect(Buffer.byteLength(kept.body)).toBeLessThanOrEqual(Buffer.byteLength(one));
      }),
      { numRuns: 2_000 },
    );
  });
});
