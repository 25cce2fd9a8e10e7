import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assignInstants } from './assign-instants.js';

const assign = (wanted: readonly number[], nowUs = 100): number[] => {
  const states = wanted.map((us, line) => ({ line, id: String(line), us }));
  const moved = new Map(assignInstants(states, nowUs).map(({ line, toUs }) => [line, toUs]));
  return states.map(({ line, us }) => moved.get(line) ?? us);
};

describe('the instants of an import', () => {
  it('stay if they are past and unique', () => {
    expect(assign([30, 10, 20])).toEqual([30, 10, 20]);
  });

  it('become the next free microsecond if an earlier line has the same', () => {
    expect(assign([10, 10, 11, 10])).toEqual([10, 12, 11, 13]);
  });

  it('in the future become the next free ones after now', () => {
    expect(assign([500, 100, 600])).toEqual([101, 100, 102]);
  });

  it('are always unique', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 120 })), (wanted) => {
        const assigned = assign(wanted);
        expect(new Set(assigned).size).toBe(wanted.length);
        assigned.forEach((us, i) => expect(us).toBeGreaterThanOrEqual(Math.min(wanted[i] as number, 100)));
      }),
    );
  });
});
