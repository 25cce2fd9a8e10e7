import { describe, expect, it } from '@jest/globals';
import { regionKey, regionName } from './region-key.js';

/** Spellings of one region each, first its displayed name. */
const SPELLINGS = [
  ['Автономна Республіка Крим', 'АР Крим', 'AP Крим', 'А.Р. Крим', 'АРК', 'Крим', 'Republic of Crimea', 'Krym'],
  ['м. Київ', 'Київ', 'м.Київ', 'КИЇВ', 'місто Київ', 'Kyiv', 'Kiev', 'Kyyiv', 'City of Kyiv', 'Kиïв', 'm. Kyiv'],
  ['м. Севастополь', 'Севастополь', 'Sevastopol', "Sevastopol'", 'Sevastopol City', 'Ceвacтополь'],
  [
    'Київська область',
    'Київська обл.',
    'Київ. обл',
    'Київщина',
    'Kyiv Oblast',
    'Kyivska',
    'Kiev region',
    'Київської обл.',
  ],
  ['Івано-Франківська область', 'Iвано-Франкiвська', 'Ів.-Франківська обл', 'Івано–Франк. обл.', 'Ivano-Frankivsk'],
  ['Львівська область', 'Lviv', "L'viv", 'Львівщина', 'львівська', 'у Львівській області'.slice(2), 'Lvivs’ka oblast’'],
  ['Одеська область', 'Odesa', 'Odessa', 'Одес. обл.', 'Одещина', 'Odeska oblast', 'ОДЕCЬКА'],
  ['Хмельницька область', 'Khmelnytskyi', 'Khmelnytsky Oblast', 'Khmelʼnytsʼkyy', 'Хмельниччина', 'Хм. обл.'],
  [
    'Запорізька область',
    'Zaporizhzhia',
    'Zaporizhzhya',
    'Zaporizhia Oblast',
    'Запоріж. область',
    'Запоріжжя обл.',
    'Zaporizka',
  ],
  ['Вінницька область', 'Vinnytsia', 'Vinnytsya', 'Вінниччини', 'Vinnitsa region', 'Вінн. обл'],
  ['Чернівецька область', 'Chernivtsi', 'Буковина', 'Чернівец. обл.'],
  ['Чернігівська область', 'Chernihiv', 'Chernigov', 'Черніг. обл.'],
  ['Дніпропетровська область', 'Dnipropetrovsk', 'Dnepropetrovsk Oblast', 'Дніпр. обл.', 'Дніпропетровщина'],
];
/** Each oblast in Ukrainian and in the national romanization. */
const OBLASTS = (
  'Вінницька Vinnytsia, Волинська Volyn, Дніпропетровська Dnipropetrovsk, Донецька Donetsk, Житомирська Zhytomyr, ' +
  'Закарпатська Zakarpattia, Запорізька Zaporizhzhia, Івано-Франківська Ivano-Frankivsk, Київська Kyivska, ' +
  'Кіровоградська Kirovohrad, Луганська Luhansk, Львівська Lviv, Миколаївська Mykolaiv, Одеська Odesa, ' +
  'Полтавська Poltava, Рівненська Rivne, Сумська Sumy, Тернопільська Ternopil, Харківська Kharkiv, ' +
  'Херсонська Kherson, Хмельницька Khmelnytskyi, Черкаська Cherkasy, Чернівецька Chernivtsi, Чернігівська Chernihiv'
).split(', ');

/** Regions other than those above. */
const OTHERS = [
  'м. Чернігів',
  'Чернігів',
  'Львів',
  'м. Львів',
  'Lviv city',
  'Хмельницький',
  'Запоріжжя',
  'Черн. обл.',
  'Край',
];

describe('the spellings of a region', () => {
  it.each(SPELLINGS)('%s, %s … have one key', (name, ...others) => {
    for (const other of [name as string, ...others]) {
      expect([other, regionName(other)]).toEqual([other, name]);
      expect([other, regionKey(other)]).toEqual([other, regionKey(name as string)]);
    }
  });

  it.each(OBLASTS.map((pair) => pair.split(' ') as [string, string]))('%s, %s with and without oblast', (uk, en) => {
    const [adjective, latin] = [uk.slice(0, -1), uk.replaceAll('і', 'i').replaceAll('е', 'e').replaceAll('а', 'a')];
    const ukrainian = [uk, `${uk} обл.`, `обл. ${uk}`, `${adjective}ої області`, `${adjective}у`, uk.toUpperCase()];
    const others = [latin, `${latin} oбл.`, en, `${en} Oblast`, `${en} region`, en.toLowerCase(), `${en} oblast’`];
    for (const name of [...ukrainian, `${uk.slice(0, 6)}. обл.`, ...others])
      expect([name, regionName(name)]).toEqual([name, `${uk} область`]);
  });

  it('of different regions have different keys', () => {
    const names = [...SPELLINGS.map(([name]) => name as string), ...OTHERS];
    expect(new Set(names.map(regionKey)).size).toBe(names.length - 2);
    expect(regionKey('Чернігів')).toBe(regionKey('м. Чернігів'));
    expect(regionKey('м. Львів')).toBe(regionKey('ЛЬВІВ'));
  });

  it('of other countries are kept, without invisible characters', () => {
    expect(regionKey('Woj. mazowieckie')).toBe(regionKey('woj mazowieckie'));
    expect(regionName(' Мазо\u202eвія\u2069\n\u200b край ')).toBe('Мазовія край');
    expect(regionName('Ки\u202eїв')).toBe('м. Київ');
    for (const empty of ['—', '\u200b', '', '\u3164']) expect(regionKey(empty)).toBe('');
  });
});
