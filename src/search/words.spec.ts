import { describe, expect, it } from '@jest/globals';
import { comparedPrefix, prefixesOf, fold, runsIn } from './words.js';

describe('fold', () => {
  it.each([
    ['и\u0306 і\u0308', 'й ї'],
    ['за\u0301мок', 'замок'],
    ['ﬁnal ＡＢ', 'final ab'],
    ['слово\u00adчастина\u200b', 'словочастина'],
    ["об'єкт об’єкт обʼєкт об`єкт об´єкт об′єкт", 'обєкт обєкт обєкт обєкт обєкт обєкт'],
    ["'слово'", ' слово '],
    ['Ґалаґан', 'галаган'],
    ['Iвано-Франкiвськ, Киïв; Кyiv', 'івано-франківськ, київ; kyiv'],
    ['ки\u3164їв\ufe0f', 'київ'],
  ])('turns %s into %s', (text, expected) => expect(fold(text)).toBe(expected));

  it('keeps different letters different', () => {
    expect(new Set(['і', 'ї', 'и', 'й', 'е', 'є', 'г', 'i'].map((letter) => fold(letter))).size).toBe(8);
  });

  it('is idempotent', () => {
    for (const text of ['İSTANBUL', 'ẞ', 'ǅ', 'Å', "Об'Єкт й\u0301"]) expect(fold(fold(text))).toBe(fold(text));
  });
});

describe('the runs', () => {
  it.each([
    ['ваз-21099', ['ваз21099', '21099']],
    ['ваз 21099 дві', ['ваз21099дві', '21099дві', 'дві']],
    ['юмз-6акл', ['юмз6акл', '6акл', 'акл']],
    ['тов"агро-світ"', ['товагросвіт', 'агросвіт', 'світ']],
    ['два слова, та 5, 6', ['два', 'слова', 'та5', '5', '6']],
    ['площею 0.25 га, номер 123456', ['площею', '0', '25га', 'га', 'номер', '123456']],
    ['12/5 0,25 1:25', ['12', '5', '0', '25', '1', '25']],
    ['3220881300:04:001:0012', ['3220881300040010012', '04', '001', '0012']],
  ])('of %s are %j', (text, runs) => expect(runsIn(text)).toEqual(runs));

  it('are bounded for any input', () => {
    for (const run of runsIn('а-'.repeat(1_000) + '𐐨1'.repeat(1_000))) expect(run.length).toBeLessThan(45);
  });
});

describe('a word is found by', () => {
  it('at most its first twelve letters, or twenty characters of a code, when indexed and when typed', () => {
    const letters = Array.from({ length: 12 }, (_, i) => 'а'.repeat(i + 1));
    expect(prefixesOf('а'.repeat(30))).toEqual(letters);
    expect(comparedPrefix('а'.repeat(30))).toBe('а'.repeat(12));
    expect(comparedPrefix('земля')).toBe('земля');
    const code = 'а'.repeat(15) + '7'.repeat(30);
    expect(prefixesOf(code)).toEqual([...letters, ...[16, 17, 18, 19, 20].map((length) => code.slice(0, length))]);
    expect(comparedPrefix(code)).toBe(code.slice(0, 20));
    expect(comparedPrefix(code.slice(0, 14))).toBe('а'.repeat(12));
  });

  it('a single letter, and a single digit only if that is the whole number', () => {
    expect(prefixesOf('га')).toEqual(['г', 'га']);
    expect(prefixesOf('5га')).toEqual(['5', '5г', '5га']);
    expect(prefixesOf('50')).toEqual(['50']);
  });

  it('whole characters, also beyond the basic plane', () => {
    expect(prefixesOf('𝒷𐐨𐐩𐐪')).toEqual(['𝒷', '𝒷𐐨', '𝒷𐐨𐐩', '𝒷𐐨𐐩𐐪']);
    expect(comparedPrefix('𐐨'.repeat(21))).toBe('𐐨'.repeat(12));
  });
});
