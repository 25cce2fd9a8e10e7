import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { matchOf } from './match.js';
import { facetToken, facetTokens } from './tokens.js';

/** Quoted terms of letters, digits and colons, joined by what only this room writes. */
const LANGUAGE = /^(?:[()]|"[\p{L}\p{N}\p{M}:]+"| AND | OR )*$/u;

describe('what FTS5 is asked', () => {
  it('is a code or words for each piece of the text, and one term for all that was chosen', () => {
    expect(matchOf({ text: 'Земля UA-1', status: 'active', assetType: 'claimRights', regions: ['мкиїв'] })).toEqual({
      match: '("c:земля" OR ("w:земля")) AND ("c:ua1" OR ("w:ua" AND "w:1")) AND "str:active:claimrights:мкиїв"',
      isHopeless: false,
    });
  });

  it('is nothing where everything is wanted', () => {
    expect(matchOf({ text: ' \t', status: '' })).toEqual({ match: undefined, isHopeless: false });
  });

  it.each([
    { text: '—' },
    { text: "'" },
    { text: '\u200b' },
    { text: '', regions: [] },
    { text: 'земля', status: '*' },
  ])('is hopeless for %j', (wanted) => expect(matchOf(wanted).isHopeless).toBe(true));

  it('is any of several regions', () => {
    const { match } = matchOf({ text: '', status: 'active', regions: ['київ', 'київська'] });
    expect(match).toBe('("sr:active:київ" OR "sr:active:київська")');
  });

  it('passes over punctuation beside words', () => {
    expect(matchOf({ text: '— земля' })).toEqual({ match: '("c:земля" OR ("w:земля"))', isHopeless: false });
  });

  it('has few terms, whatever is sent', () => {
    const letters = [...'абвгдежзик'];
    const inPieces = letters.map((letter) => letters.map((other) => letter + other).join('-')).join(' ');
    for (const text of [inPieces.replaceAll('-', ' '), inPieces, '\ufdfa'.repeat(1_000), 'а '.repeat(1_000)]) {
      const { match = '' } = matchOf({ text });
      expect(match.split('"').length / 2).toBeLessThan(30);
      expect(match.length).toBeLessThan(1_000);
    }
  });

  it('never holds a sign of its language that came from outside', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('"', "'", '*', '(', 'а', ' ') }),
    );
    fc.assert(
      fc.property(text, text, (typed, status) => {
        const { match = '' } = matchOf({ text: typed, status });
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
