import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { html } from './html.js';
import { Room, shortened } from './room.js';

describe('shortened', () => {
  it('leaves alone what fits', () => {
    expect(shortened('Земля', 10).text).toBe('Земля');
  });

  it('marks what was cut', () => {
    expect(shortened('abcdefgh', 7).text).toBe('abcd…');
  });

  it('counts bytes as they are sent', () => {
    expect(shortened('<<<<', 12).text).toBe('&lt;&lt;…');
    expect(shortened('ЖЖЖЖ', 7).text).toBe('ЖЖ…');
  });

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
  it('gives no more than there is left', () => {
    const room = new Room(12);
    expect([room.shorten('abcdef').text, room.hasShortened]).toEqual(['abcdef', false]);
    expect([room.shorten('abcdefgh').text, room.hasShortened]).toEqual(['abc…', true]);
  });

  it('is reserved in whole or not at all', () => {
    const room = new Room(10);
    expect([room.reserve(8), room.hasShortened]).toEqual([true, false]);
    expect([room.reserve(8), room.hasShortened]).toEqual([false, true]);
    expect(room.shorten('ab').text).toBe('ab');
  });
});
