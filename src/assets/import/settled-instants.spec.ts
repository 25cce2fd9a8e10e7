import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { settleInstants } from './settled-instants.js';

const settle = (wanted: readonly number[], nowUs = 100): number[] => {
  const states = wanted.map((us, line) => ({ line, id: String(line), us }));
  const moved = new Map(settleInstants(states, nowUs).map(({ line, toUs }) => [line, toUs]));
  return states.map(({ line, us }) => moved.get(line) ?? us);
};

describe('the instants of an import', () => {
  it('stay where they are past, and no other asset has them', () => {
    expect(settle([30, 10, 20])).toEqual([30, 10, 20]);
  });

  it('become the next free microsecond where an earlier line has the same', () => {
    expect(settle([10, 10, 11, 10])).toEqual([10, 12, 11, 13]);
  });

  it('of the future follow now', () => {
    expect(settle([500, 100, 600])).toEqual([101, 100, 102]);
  });

  it('are all different, whatever came', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 120 })), (wanted) => {
        const settled = settle(wanted);
        expect(new Set(settled).size).toBe(wanted.length);
        settled.forEach((us, i) => expect(us).toBeGreaterThanOrEqual(Math.min(wanted[i] as number, 100)));
      }),
    );
  });
});
