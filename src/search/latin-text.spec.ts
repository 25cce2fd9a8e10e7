import { describe, expect, it } from '@jest/globals';
import { ukrainianSpellings } from './latin-text.js';

/** Names by the national system of romanization. */
const NAMES = `
Lviv Львів, Kyiv Київ, Zhytomyr Житомир, Bila Tserkva Біла Церква, Kharkiv Харків, Odesa Одеса, Dnipro Дніпро, Kryvyi Rih Кривий Ріг,
Ivano-Frankivsk Івано-Франківськ, Khmelnytskyi Хмельницький, Kropyvnytskyi Кропивницький, Mykolaiv Миколаїв, Vinnytsia Вінниця,
Zaporizhzhia Запоріжжя, Lutsk Луцьк, Ternopil Тернопіль, Chernivtsi Чернівці, Uzhhorod Ужгород, Poltava Полтава, Izmail Ізмаїл,
Yevpatoriia Євпаторія, Yuzhne Южне, Yahotyn Яготин, Stryi Стрий, Kolomyia Коломия, Boryspil Бориспіль, Kovel Ковель, Cherkasy Черкаси`;

describe('Ukrainian spellings of Latin letters', () => {
  it.each([...NAMES.matchAll(/([A-Za-z -]+?) ([^A-Za-z,\n]+)/gu)].map(([, latin, name]) => [latin?.trim(), name]))(
    'for %s start with %s',
    (latin, name) => expect(ukrainianSpellings(latin ?? '')[0]).toBe(name),
  );

  it.each([
    ['Mariupol', 'Маріуполь'],
    ['Pervomaisk', 'Первомайськ'],
    ['Kiev', 'м. Київ'],
    ['Odessa', 'Одеська область'],
    ['garage in Kharkov', 'гараж Харківська область'],
  ])('for %s include %s', (latin, name) => expect(ukrainianSpellings(latin)).toContain(name));

  it('for a region start with the region', () => {
    expect(ukrainianSpellings('Kyiv region')[0]).toBe('Київська область');
    expect(ukrainianSpellings('Lviv Oblast')[0]).toBe('Львівська область');
  });

  it('for English words for property are Ukrainian words', () => {
    expect(ukrainianSpellings('land plots in Lviv')[0]).toBe('земельна ділянка Львів');
    expect(ukrainianSpellings('buildings Стрий')[0]).toBe('будівля Стрий');
  });

  it.each(['', 'Львів', '12', 'BMW X5', 'a b c d e f g h i j k', 'in the'])('do not exist for %p', (text) =>
    expect(ukrainianSpellings(text)).toEqual([]),
  );

  it('are few for hostile text', () => {
    expect(ukrainianSpellings('iaiuyi'.repeat(33)).length).toBeLessThanOrEqual(7);
  });
});
