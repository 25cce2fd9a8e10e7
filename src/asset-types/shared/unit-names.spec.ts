import { describe, expect, it } from '@jest/globals';
import { unitName } from './unit-names.js';

describe('the unit of a quantity', () => {
  it.each([
    [1, 'гектар', 'hectare'],
    [3, 'гектари', 'hectares'],
    [5, 'гектарів', 'hectares'],
    [21, 'гектар', 'hectares'],
    [0.25, 'гектара', 'hectares'],
  ])('for %d is %s, %s', (quantity, uk, en) => {
    for (const name of ['гектар', 'га', 'Hectare ']) {
      const unit = { code: 'HAR', name };
      expect([unitName(unit, quantity, 'uk'), unitName(unit, quantity, 'en')]).toEqual([uk, en]);
    }
  });

  it.each([
    ['an unknown code', { code: '39513200-3', name: 'гектар' }],
    ['a name that does not match the code', { code: 'MTK', name: 'гектар' }],
    ['an unknown name', { code: 'E50', name: 'облікова одиниця' }],
    ['a code that is a property of objects', { code: 'constructor', name: 'гектар' }],
  ])('is the name as sent, with %s', (_, unit) => {
    expect(unitName(unit, 5, 'en')).toBe(unit.name);
  });

  it('is empty if its name was erased', () => {
    expect(unitName({ code: 'HAR' }, 5, 'en')).toBe('');
  });
});
