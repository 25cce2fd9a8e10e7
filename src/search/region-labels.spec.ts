import { describe, expect, it } from '@jest/globals';
import { regionKey } from './region-key.js';
import { countryLabel, isRegionOfUkraine, regionLabel, REGIONS_OF_UKRAINE } from './region-labels.js';

describe('the labels of regions', () => {
  it('are 27 different ones, each with the same region in both languages', () => {
    expect(new Set(REGIONS_OF_UKRAINE.map(({ uk }) => regionKey(uk))).size).toBe(27);
    for (const { uk, en } of REGIONS_OF_UKRAINE) expect([en, regionKey(en)]).toEqual([en, regionKey(uk)]);
  });

  it.each([
    ['Львів. обл.', 'Львівська область', 'Lviv region'],
    ['Kiev', 'м. Київ', 'Kyiv'],
    ['Київщина', 'Київська область', 'Kyiv region'],
    ['АР Крим', 'Автономна Республіка Крим', 'Autonomous Republic of Crimea'],
  ])('of %s are %s and %s', (spelling, uk, en) => {
    expect([regionLabel(spelling, 'uk'), regionLabel(spelling, 'en')]).toEqual([uk, en]);
    expect(isRegionOfUkraine(spelling)).toBe(true);
  });

  it('of other countries are their names', () => {
    expect([regionLabel('Мазовецьке  воєводство', 'en'), isRegionOfUkraine('Мазовецьке воєводство')]).toEqual([
      'Мазовецьке  воєводство',
      false,
    ]);
  });

  it('of Ukraine itself are its names in both languages', () => {
    expect(countryLabel('Україна', 'en')).toBe('Ukraine');
    expect(countryLabel('Ukraine', 'uk')).toBe('Україна');
    expect(countryLabel('Польща', 'en')).toBe('Польща');
  });
});
