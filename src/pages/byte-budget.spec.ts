import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { html } from './html.js';
import { ByteBudget, shortened } from './byte-budget.js';

describe('shortened', () => {
  it('never is longer than it may be, cuts no pair in half, and begins as the text does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.integer({ min: 3, max: 400 }), (text, most) => {
        const shown = shortened(text, most).text;
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(most);
        expect(shown.isWellFormed()).toBe(true);
        const whole = html`${text}`.text;
        expect(shown === whole || whole.startsWith(shown.slice(0, -1))).toBe(true);
      }),
    );
  });
});

describe('a room', () => {
  it('is reserved in whole or not at all', () => {
    const budget = new ByteBudget(10);
    expect([budget.reserve(8), budget.hasShortened]).toEqual([true, false]);
    expect([budget.reserve(8), budget.hasShortened]).toEqual([false, true]);
    expect(budget.shorten('ab').text).toBe('ab');
  });
});
