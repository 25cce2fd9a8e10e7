import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ANY_TEXT } from '../../test/support/any-text.js';
import { matchOf } from '../database/search/index-query.js';
import { matchText } from './match.js';
import { EVERYTHING, indexQueryOf, type SearchQuery } from './search-query.js';
import { facetToken, facetTokens } from './tokens.js';

/** What FTS5 is asked for a query; undefined where nothing can be found. */
function asked(query: Partial<SearchQuery>): string | undefined {
  const wanted = indexQueryOf({ ...EVERYTHING, ...query });
  return wanted && (matchOf(wanted) ?? '');
}

/** Quoted terms of letters, digits and colons, joined by what only this room writes. */
const LANGUAGE = /^(?:[()]|"[\p{L}\p{N}\p{M}:]+"| AND | OR )*$/u;

describe('what FTS5 is asked', () => {
  it('is a code or words for each piece of the text, and one term for all that was chosen', () => {
    const chosen = { status: ['active'], assetType: ['claimRights'], region: ['м. Київ'] };
    expect(asked({ text: 'Земля UA', ...chosen })).toBe(
      '("c:земля" OR (("w:земл" OR "w:земел"))) AND ("c:ua" OR ("w:ua")) AND ("str:active:claimrights:київ")',
    );
  });

  it('is nothing where everything is wanted', () => expect(asked({ text: ' \t' })).toBe(''));

  it.each([{ text: '—' }, { text: "'" }, { text: '\u200b' }, { region: ['—'] }])('is hopeless for %j', (wanted) =>
    expect(asked(wanted)).toBeUndefined(),
  );

  it('is any of several states and regions, and of everything else that was given', () => {
    expect(asked({ status: ['active', 'pending'], region: ['Львів', 'Суми'] })).toBe(
      '("sr:active:львів" OR "sr:active:суми" OR "sr:pending:львів" OR "sr:pending:суми")',
    );
    const classification = { scheme: 'CPV', code: '34-1' };
    expect(asked({ custodian: ['1', '2'], classification, owner: 'broker-2', currency: 'UAH' })).toBe(
      '("k:1" OR "k:2") AND ("n::43::50::56::z:34:2d:1") AND ("o:broker:2d:2") AND ("v::55::41::48:")',
    );
  });

  it('is a list for each kind of choice, where there are many', () => {
    const region = Array.from({ length: 61 }, (_, i) => `Край ${i}`);
    expect(asked({ status: ['active'], region })).toMatch(/^\("s:active"\) AND \("r:край0" OR .* OR "r:край60"\)$/u);
  });

  it('is either of two stems, where a vowel of the word changes', () => {
    expect(asked({ text: 'Києва' })).toBe('("c:києва" OR (("w:києв" OR "w:київ")))');
  });

  it('passes over words that join others, unless there are no others', () => {
    expect(asked({ text: 'гараж у, в Умані і на Волі' })).toBe(asked({ text: 'гараж Умані Волі' }));
    expect(asked({ text: 'house of the Lords' })).toBe(asked({ text: 'house Lords' }));
    expect(asked({ text: 'у' })).toBe('("c:у" OR ("w:у"))');
  });

  it('passes over what kind of place a name is of, unless there is nothing else', () => {
    for (const text of ['м. Умань', 'м.Умань', 'у місті Умань']) expect(asked({ text })).toBe(asked({ text: 'Умань' }));
    expect(asked({ text: 'Київська обл., вул.Шевченка' })).toBe(asked({ text: 'Київська Шевченка' }));
    expect(asked({ text: 'м.' })).toBe('("c:м" OR ("w:м"))');
    expect(asked({ text: 'т.м.' })).toBe('("c:тм" OR ("w:т" AND "w:м"))');
    expect(asked({ text: 'в області' })).toBe(asked({ text: 'області' }));
    expect(asked({ text: 'та на вул. і м.' })).toBe(asked({ text: 'вул. м.' }));
  });

  it('is a code in parts and in one, unless it has many parts, and a number plate as it is read out', () => {
    expect(asked({ text: 'Ц-12' })).toBe('("c:ц12" OR ("w:ц" AND "w:12") OR "w:ц12")');
    expect(asked({ text: 'ЦЖ 1234 ЦЖ' })).toBe('("c:цж1234цж" OR ("w:цж" AND "w:1234" AND "w:цж") OR "w:цж1234цж")');
    expect(asked({ text: 'за 2020 та 2021' })).toBe(asked({ text: '2020 2021' }));
    expect(asked({ text: 'НА 1234 АВ' })).toContain('"w:на1234ав"');
    expect(asked({ text: 'uz-1-2-3' })).toBe('("c:uz123" OR ("w:uz" AND "w:1" AND "w:2" AND "w:3"))');
    expect(asked({ text: '0,25' })).toBe('("c:025" OR ("w:0" AND "w:25"))');
  });

  it('is what looks the same, of a code and of a word in two alphabets', () => {
    const plate = '("c:аа1234вс" OR ("w:аа1234вс") OR "c:aa1234bc" OR ("w:aa1234bc"))';
    expect(asked({ text: 'АА1234ВС' })).toBe(plate);
    expect(asked({ text: 'Kиїв' })).toBe('("c:kиїв" OR ("w:kиїв") OR "c:київ" OR (("w:київ" OR "w:києв")))');
    for (const text of ['номер', 'cab', 'vin7', 'Ґ7']) expect(asked({ text })).not.toContain('OR "c:');
  });

  it('passes over punctuation beside words', () => {
    expect(matchText('— земля')).toEqual({ match: '("c:земля" OR (("w:земл" OR "w:земел")))', isHopeless: false });
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
        const classification = { scheme: other, code: other };
        const match = asked({ text: typed, region: [other], custodian: [other], owner: other, classification }) ?? '';
        expect(match).toMatch(LANGUAGE);
      }),
    );
  });
});

it('every choice has a term that the asset has', () => {
  const tokens = facetTokens('active', 'basic', ['київ', 'львів']);
  expect(tokens).toHaveLength(11);
  for (const status of ['active', undefined])
    for (const assetType of ['basic', undefined])
      for (const region of ['київ', 'львів', undefined]) {
        const token = facetToken({ status, assetType, region });
        if (token !== undefined) expect(tokens).toContain(token);
      }
  expect(facetToken({})).toBeUndefined();
});
