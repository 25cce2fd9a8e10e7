import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ANY_TEXT } from '../../test/support/any-text.js';
import { matchOf } from '../database/search/index-query.js';
import { matchText } from './match.js';
import { EVERYTHING, indexQueryOf, type SearchQuery } from './search-query.js';

/** What FTS5 is asked for a query; undefined where nothing can be found. */
function asked(query: Partial<SearchQuery>): string | undefined {
  const wanted = indexQueryOf({ ...EVERYTHING, ...query }, false);
  return wanted && (matchOf(wanted) ?? '');
}

/** Quoted terms of letters, digits and colons, joined by what only this room writes. */
const LANGUAGE = /^(?:[()]|"[\p{L}\p{N}\p{M}:]+"| AND | OR )*$/u;

describe('what FTS5 is asked', () => {
  it.each([{ text: '—' }, { text: "'" }, { text: '\u200b' }, { region: ['—'] }])('is hopeless for %j', (wanted) =>
    expect(asked(wanted)).toBeUndefined(),
  );

  it('passes over words that join others, unless there are no others', () => {
    expect(asked({ text: 'гараж у, в Умані і на Волі' })).toBe(asked({ text: 'гараж Умані Волі' }));
    expect(asked({ text: 'house of the Lords' })).toBe(asked({ text: 'house Lords' }));
    expect(asked({ text: 'у' })).toBe('("c:у" OR "w:у")');
  });

  it('passes over what kind of place a name is of, unless there is nothing else', () => {
    for (const text of ['м. Умань', 'м.Умань', 'у місті Умань']) expect(asked({ text })).toBe(asked({ text: 'Умань' }));
    expect(asked({ text: 'Київська обл., вул.Шевченка' })).toBe(asked({ text: 'Київська Шевченка' }));
    expect(asked({ text: 'м.' })).toBe('("c:м" OR "w:м")');
    expect(asked({ text: 'т.м.' })).toBe('("c:тм" OR "w:тм" OR ("w:т" AND "w:м"))');
    expect(asked({ text: 'в області' })).toBe(asked({ text: 'області' }));
    expect(asked({ text: 'та на вул. і м.' })).toBe(asked({ text: 'вул. м.' }));
  });

  it('is a code in parts and in one, unless its numbers stay apart, and a number plate as it is read out', () => {
    expect(asked({ text: 'ЦЖ-12' })).toBe('("c:цж12" OR "w:цж12" OR ("w:цж" AND "w:12"))');
    expect(asked({ text: 'Ц-12' })).toBe('("c:ц12" OR "w:ц12")');
    expect(asked({ text: 'ЦЖ 1234 ЦЖ' })).toBe('("c:цж1234цж" OR "w:цж1234цж" OR ("w:цж" AND "w:1234" AND "w:цж"))');
    expect(asked({ text: 'за 2020 та 2021' })).toBe(asked({ text: '2020 2021' }));
    expect(asked({ text: 'НА 1234 АВ' })).toContain('"w:на1234ав"');
    expect(asked({ text: 'uz-1-2-3' })).toBe('("c:uz123" OR ("w:uz" AND "w:1" AND "w:2" AND "w:3"))');
    expect(asked({ text: '0,25' })).toBe('("c:025" OR ("w:0" AND "w:25"))');
  });

  it('is the number of an assetID with its zeros, and no other number', () => {
    expect(asked({ text: '282' })).toBe('("c:282" OR "c:000282" OR "w:282")');
    expect(asked({ text: '0282' })).toContain('"c:000282"');
    for (const text of ['UA-2026-11-28-282', 'ua/2026/11/28/00282'])
      expect(asked({ text })).toContain('"c:ua20261128000282"');
    expect(asked({ text: '2026-11-28-1234567' })).toContain('"c:202611281234567"');
    expect(asked({ text: '00037256' })).toBe('("c:00037256" OR "c:037256" OR "w:00037256")');
    expect(asked({ text: 'ЮМЗ-6' })).not.toContain('00006');
  });

  it('is what looks the same, of a code and of a word in two alphabets', () => {
    expect(asked({ text: 'АА1234ВС' })).toBe('("c:аа1234вс" OR "w:аа1234вс" OR "c:aa1234bc" OR "w:aa1234bc")');
    expect(asked({ text: 'Kиїв' })).toBe(asked({ text: 'Київ' }));
    for (const text of ['номер', 'cab', 'vin7', 'Ґ7']) expect(asked({ text })).not.toContain('OR "c:');
  });

  it('has few terms, whatever is sent', () => {
    const letters = [...'абвгдежзик'];
    const inPieces = letters.map((letter) => letters.map((other) => letter + other).join('-')).join(' ');
    for (const text of [inPieces.replaceAll('-', ' '), inPieces, '\ufdfa'.repeat(1_000), 'а '.repeat(1_000)]) {
      const { match = '' } = matchText(text);
      expect(match.split('"').length / 2).toBeLessThan(30);
      expect(match.length).toBeLessThan(1_000);
    }
  });

  it('never holds a sign of its language that came from outside', () => {
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
