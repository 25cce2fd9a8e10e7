import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { html } from './html.js';
import { Room, shortened } from './room.js';

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
    const room = new Room(10);
    expect([room.reserve(8), room.hasShortened]).toEqual([true, false]);
    expect([room.reserve(8), room.hasShortened]).toEqual([false, true]);
    expect(room.shorten('ab').text).toBe('ab');
  });
});
