import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ANY_TEXT } from '../../test/support/any-text.js';
import { type Parameter, printQuery, type RequestTarget, targetOf } from './request-target.js';

const target = (url: string): RequestTarget => targetOf({ url });
const pairs = (query: string): [string, string][] =>
  target(`/x?${query}`).query.parameters.map(({ name, value }) => [name, value]);
const aText = fc.string({ unit: 'grapheme' });

describe('the target of a request', () => {
  it('has a query after the first question mark', () => {
    expect(target('/x?a=?b').query.get('a')).toBe('?b');
    expect(target('/x').query.parameters).toEqual([]);
    expect(target('/x?').query.parameters).toEqual([]);
  });
});

describe('a query', () => {
  it.each([
    ['a', [['a', '']]],
    ['=1', [['', '1']]],
    ['a=b=c', [['a', 'b=c']]],
    ['a=1+2%2B3', [['a', '1 2+3']]],
    ['%C3%A4=%F0%9F%8F%A1', [['ä', '🏡']]],
    [
      '__proto__=1&constructor=2',
      [
        ['__proto__', '1'],
        ['constructor', '2'],
      ],
    ],
  ])('%j is %j', (query, expected) => {
    expect(pairs(query)).toEqual(expected);
  });

  it('gives the first value of a name, and all of them', () => {
    const { query } = target('/x?a=1&b=2&a=3');
    expect(query.get('a')).toBe('1');
    expect(query.all('a').map(({ value }) => value)).toEqual(['1', '3']);
    expect(query.get('c')).toBeUndefined();
  });

  it.each(['a=%', '%zz=1', 'a=%ED%A0%80'])('%s is not well-formed', (query) => {
    expect(target(`/x?${query}`).query.parameters).toMatchObject([{ wellFormed: false }]);
  });

  it('is well-formed otherwise', () => {
    expect(target('/x?a=%2B').query.parameters).toMatchObject([{ wellFormed: true }]);
  });

  it('is parsed to the same after printing', () => {
    const aPair = fc.record({ name: aText, value: aText });
    fc.assert(
      fc.property(fc.array(aPair), (sent) => {
        const { parameters } = target(`/x?${printQuery(sent)}`).query;
        expect(parameters).toEqual(sent.map((pair): Parameter => ({ ...pair, wellFormed: true })));
      }),
    );
  });

  it('never throws', () => {
    fc.assert(fc.property(ANY_TEXT, (text) => void target(text)));
  });
});
