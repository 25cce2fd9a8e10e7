import { describe, expect, it } from '@jest/globals';
import { spellingsOf } from './asset-identifiers.js';

describe('an assetID sent in capitals or small letters', () => {
  it.each([
    ['UA-2017-08-16-000001', 'UA'],
    ['UA-AR-DGF-2017-08-16-000001-1', 'UA'],
    ['UA-2017-08-16-000001-b', 'UA'],
    ['ua-2017-08-16-000001-B2', 'UA'],
    ['Kyiv-2017-08-16-000001', 'Kyiv'],
  ])('is found by the spelling of %s', (stored, prefix) => {
    for (const sent of [stored, stored.toUpperCase(), stored.toLowerCase()])
      expect(spellingsOf(sent, prefix)).toContain(stored);
  });

  it('is compared as sent first', () => {
    expect(spellingsOf('Ua-2017-08-16-000001-aB', 'UA')[0]).toBe('Ua-2017-08-16-000001-aB');
  });

  it('has no spellings if it is another text', () => {
    expect(spellingsOf('2017-08-16', 'UA')).toEqual([]);
  });
});
