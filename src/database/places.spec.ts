import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { padded, placesFor } from './places.js';

describe('the values of an IN', () => {
  it('are the same ones, in numbers of which there are few', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 500 }), (values) => {
        const all = padded(values);
        expect(all.slice(0, values.length)).toEqual(values);
        expect(new Set(all)).toEqual(new Set(values));
        expect(Math.log2(all.length) % 1).toBe(0);
        expect(all.length).toBeLessThan(values.length * 2);
      }),
    );
  });

  it('have a place each', () => {
    expect(placesFor(['a', 'b', 'b', 'b'])).toBe('?, ?, ?, ?');
  });
});
