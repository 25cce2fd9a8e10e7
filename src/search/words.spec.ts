import { describe, expect, it } from '@jest/globals';
import { beginningOf, beginningsOf, fold } from './words.js';

describe('fold', () => {
  it.each([
    ['и\u0306 і\u0308', 'й ї'],
    ['за\u0301мок', 'замок'],
    ['ﬁnal ＡＢ', 'final ab'],
    ['слово\u00adчастина\u200b', 'словочастина'],
    ["об'єкт об’єкт обʼєкт об`єкт об´єкт об′єкт", 'обєкт обєкт обєкт обєкт обєкт обєкт'],
    ["'слово'", ' слово '],
  ])('makes %s to %s', (text, expected) => expect(fold(text)).toBe(expected));

  it('keeps apart what are different letters', () => {
    expect(new Set(['і', 'ї', 'и', 'й', 'е', 'є', 'г', 'ґ'].map(fold)).size).toBe(8);
  });

  it('says the same of what it has said', () => {
    for (const text of ['İSTANBUL', 'ẞ', 'ǅ', 'Å', "Об'Єкт й\u0301"]) expect(fold(fold(text))).toBe(fold(text));
  });
});

describe('a word is found by', () => {
  it('at most its first twenty characters, as it is asked for', () => {
    const word = 'а'.repeat(30);
    expect(beginningsOf(word)).toHaveLength(19);
    expect(beginningsOf(word).at(-1)).toBe('а'.repeat(20));
    expect(beginningOf(word)).toBe('а'.repeat(20));
    expect(beginningOf('земля')).toBe('земля');
  });

  it('whole characters, also beyond the first planes', () => {
    expect(beginningsOf('𝒷𐐨𐐩𐐪')).toEqual(['𝒷𐐨', '𝒷𐐨𐐩', '𝒷𐐨𐐩𐐪']);
    expect(beginningOf('𐐨'.repeat(21))).toBe('𐐨'.repeat(20));
  });
});
