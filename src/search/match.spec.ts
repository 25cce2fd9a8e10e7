import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ANY_TEXT } from '../../test/support/any-text.js';
import { matchOf } from '../database/search/index-query.js';
import { matchText } from './match.js';
import { EVERYTHING, indexQueryOf, type SearchQuery } from './search-query.js';

/** The FTS5 query; undefined if nothing can match. */
function asked(query: Partial<SearchQuery>): string | undefined {
  const wanted = indexQueryOf({ ...EVERYTHING, ...query }, false);
  return wanted && (matchOf(wanted) ?? '');
}

/** Quoted terms of letters, digits and colons, and operators. */
const LANGUAGE = /^(?:[()]|"[\p{L}\p{N}\p{M}:]+"| AND | OR )*$/u;

describe('the FTS5 query', () => {
  it.each([{ text: '—' }, { text: "'" }, { text: '\u200b' }, { region: ['—'] }])(
    'does not exist for %j, which matches nothing',
    (wanted) => expect(asked(wanted)).toBeUndefined(),
  );

  it('leaves out stop words unless there are no other words', () => {
    expect(asked({ text: 'гараж у, в Умані і на Волі' })).toBe(asked({ text: 'гараж Умані Волі' }));
    expect(asked({ text: 'house of the Lords' })).toBe(asked({ text: 'house Lords' }));
    expect(asked({ text: 'у' })).toBe('("c:у" OR "w:у")');
  });

  it('leaves out words for kinds of places unless there are no other words', () => {
    for (const text of ['м. Умань', 'м.Умань', 'у місті Умань']) expect(asked({ text })).toBe(asked({ text: 'Умань' }));
    expect(asked({ text: 'Київська обл., вул.Шевченка' })).toBe(asked({ text: 'Київська Шевченка' }));
    expect(asked({ text: 'м.' })).toBe('("c:м" OR "w:м")');
    expect(asked({ text: 'т.м.' })).toBe('("c:тм" OR "w:тм" OR ("w:т" AND "w:м"))');
    expect(asked({ text: 'в області' })).toBe(asked({ text: 'області' }));
    expect(asked({ text: 'та на вул. і м.' })).toBe(asked({ text: 'вул. м.' }));
  });

  it('matches a code in parts or joined, unless it joins numbers, and a number plate typed in parts', () => {
    expect(asked({ text: 'ЦЖ-12' })).toBe('("c:цж12" OR "w:цж12" OR ("w:цж" AND "w:12"))');
    expect(asked({ text: 'Ц-12' })).toBe('("c:ц12" OR "w:ц12")');
    expect(asked({ text: 'ЦЖ 1234 ЦЖ' })).toBe('("c:цж1234цж" OR "w:цж1234цж" OR ("w:цж" AND "w:1234" AND "w:цж"))');
    expect(asked({ text: 'за 2020 та 2021' })).toBe(asked({ text: '2020 2021' }));
    expect(asked({ text: 'НА 1234 АВ' })).toContain('"w:на1234ав"');
    expect(asked({ text: 'uz-1-2-3' })).toBe('("c:uz123" OR ("w:uz" AND "w:1" AND "w:2" AND "w:3"))');
    expect(asked({ text: '0,25' })).toBe('("c:025" OR ("w:0" AND "w:25"))');
  });

  it('zero-pads the number of an assetID, and no other number', () => {
    expect(asked({ text: '282' })).toBe('("c:282" OR "c:000282" OR "w:282")');
    expect(asked({ text: '0282' })).toContain('"c:000282"');
    for (const text of ['UA-2026-11-28-282', 'ua/2026/11/28/00282'])
      expect(asked({ text })).toContain('"c:ua20261128000282"');
    expect(asked({ text: '2026-11-28-1234567' })).toContain('"c:202611281234567"');
    expect(asked({ text: '00037256' })).toBe('("c:00037256" OR "c:037256" OR "w:00037256")');
    expect(asked({ text: 'ЮМЗ-6' })).not.toContain('00006');
  });

  it('includes look-alikes of a code and of a word in mixed alphabets', () => {
    expect(asked({ text: 'АА1234ВС' })).toBe('("c:аа1234вс" OR "w:аа1234вс" OR "c:aa1234bc" OR "w:aa1234bc")');
    expect(asked({ text: 'Kиїв' })).toBe(asked({ text: 'Київ' }));
    for (const text of ['номер', 'cab', 'vin7', 'Ґ7']) expect(asked({ text })).not.toContain('OR "c:');
  });

  it('has few terms for any input', () => {
    const letters = [...'абвгдежзик'];
    const inPieces = letters.map((letter) => letters.map((other) => letter + other).join('-')).join(' ');
    for (const text of [inPieces.replaceAll('-', ' '), inPieces, '\ufdfa'.repeat(1_000), 'а '.repeat(1_000)]) {
      const { match = '' } = matchText(text);
      expect(match.split('"').length / 2).toBeLessThan(30);
      expect(match.length).toBeLessThan(1_000);
    }
  });

  it('never contains FTS5 syntax from the input', () => {
    const text = fc.oneof(ANY_TEXT, fc.string({ unit: fc.constantFrom('"', "'", '*', '(', 'а', ' ') }));
    fc.assert(
      fc.property(text, text, (typed, other) => {
        const classification = [{ scheme: other, code: other }];
        const match = asked({ text: typed, region: [other], custodian: [other], owner: other, classification }) ?? '';
        expect(match).toMatch(LANGUAGE);
      }),
    );
  });
});
