import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { entryTexts } from './entry-texts.js';

const PAGE = { next_page: { offset: 'o', path: '[{"}]', uri: 'u' }, prev_page: { offset: '{' } };

describe('the texts of a page’s entries', () => {
  it('are found whatever the entries contain', () => {
    const entry = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(entry), fc.boolean(), (data, isIndented) => {
        const text = JSON.stringify({ ...PAGE, data }, null, isIndented ? 2 : 0);
        expect(entryTexts(text).map((one) => JSON.parse(one) as unknown)).toEqual(JSON.parse(JSON.stringify(data)));
      }),
    );
  });
});
