import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { installedNames, LIST, newType, withLine } from '../../scripts/asset-type-files.js';

describe('the name of a new asset type', () => {
  it.each([
    ['landPlot', 'landPlot', 'land-plot', 'LandPlotAsset', 'Land plot'],
    ['land-plot', 'landPlot', 'land-plot', 'LandPlotAsset', 'Land plot'],
    ['e5-licence', 'e5Licence', 'e5-licence', 'E5LicenceAsset', 'E5 licence'],
  ])('%s makes its names', (given, name, kebab, dto, en) => {
    expect(newType(given, {})).toEqual({ name, kebab, dto, en, uk: en });
  });

  it('has the labels that it is given', () => {
    expect(newType('ship', { uk: 'Судно', en: 'A ship' })).toMatchObject({ uk: 'Судно', en: 'A ship' });
    expect(newType('ship', { uk: ' ', en: '' })).toMatchObject({ uk: 'Ship', en: 'Ship' });
  });

  it.each(['', 'Ship', '../ship', 'a'.repeat(65)])('is not %j', (given) => {
    expect(() => newType(given, {})).toThrow(`${given} is no name for a type`);
  });

  it.each(['class', 'example'])('is not %j, which means something else', (given) => {
    expect(() => newType(given, {})).toThrow(`${given} cannot name a type`);
  });
});

describe('the list of types', () => {
  it.each([
    ['claim', ['basic', 'claimRights', 'claim', 'compound']],
    ['vehicle', ['basic', 'claimRights', 'compound', 'vehicle']],
  ])('inserts %s in order', (given, expected) => {
    // Ignores types installed in addition.
    const known = /basic|claimRights|compound|^[^e]/;
    const list = readFileSync(LIST, 'utf8')
      .split('\n')
      .filter((line) => known.test(line))
      .join('\n');
    expect(installedNames(withLine(list, newType(given, {})))).toEqual(expected);
  });
});
