import { describe, expect, it } from '@jest/globals';
import { beginningOf, beginningsOf, fold, keyOf, piecesIn, wordsIn } from './words.js';

describe('fold', () => {
  it.each([
    ['ІЇЄҐЙ', 'іїєґй'],
    ['и\u0306 і\u0308', 'й ї'],
    ['за\u0301мок', 'замок'],
    ['ﬁnal ＡＢ', 'final ab'],
    ['слово\u00adчастина\u200b', 'словочастина'],
    ["об'єкт об’єкт обʼєкт об`єкт об´єкт об′єкт", 'обєкт обєкт обєкт обєкт обєкт обєкт'],
    ["'слово'", ' слово '],
    ['ÉŁ', 'éł'],
    ['гараж №12', 'гараж  12'],
  ])('makes %s to %s', (text, expected) => expect(fold(text)).toBe(expected));

  it('keeps apart what are different letters', () => {
    expect(new Set(['і', 'ї', 'и', 'й', 'е', 'є', 'г', 'ґ'].map(fold)).size).toBe(8);
  });

  it('says the same of what it has said', () => {
    for (const text of ['İSTANBUL', 'ẞ', 'ǅ', 'Å', "Об'Єкт й\u0301"]) expect(fold(fold(text))).toBe(fold(text));
  });
});

it('words are letters, digits and their marks', () => {
  expect(wordsIn('земля, 0.25 га (№3) «ґанок-європа» 🚀 हिन्दी')).toEqual([
    'земля',
    '0',
    '25',
    'га',
    '3',
    'ґанок',
    'європа',
    'हिन्दी',
  ]);
  expect(wordsIn('—!')).toEqual([]);
});

it('pieces stand between spaces of any kind', () => {
  expect(piecesIn('  a-1\tб\u00a0в\n')).toEqual(['a-1', 'б', 'в']);
});

it('a key knows neither spaces nor signs', () => {
  expect(keyOf('ua-edr 77/1')).toBe('uaedr771');
});

describe('a word is found by', () => {
  it('its beginnings from two characters on', () => {
    expect(beginningsOf('земля')).toEqual(['зе', 'зем', 'земл', 'земля']);
    expect(beginningsOf('га')).toEqual(['га']);
  });

  it('itself where it is shorter', () => {
    expect(beginningsOf('5')).toEqual(['5']);
  });

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
