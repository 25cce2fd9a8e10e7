import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ANY_TEXT } from '../../test/support/any-text.js';
import { printDecimal } from '../asset-types/fields-json.js';
import { countJson, countMembers, indentJson, isExactDecimal, membersOf, parseMarkingInexact } from './json-text.js';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

describe('countJson', () => {
  it('finds the depth of any JSON', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => countJson(JSON.stringify(value)).depth === depthOf(value)));
  });

  it('counts the members of all objects, with any white space', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        expect(countJson(JSON.stringify(value, null, space)).members).toBe(countMembers(value));
      }),
    );
  });

  it('counts more members than the parsed value has where a key is repeated', () => {
    fc.assert(
      fc.property(ANY_TEXT, fc.jsonValue(), fc.jsonValue(), (key, one, other) => {
        const quoted = JSON.stringify(key);
        const text = `[{"a":{${quoted}:${JSON.stringify(one)},${quoted}:${JSON.stringify(other)}}}]`;
        return countMembers(JSON.parse(text)) < countJson(text).members;
      }),
    );
  });

  it('counts commas, objects and arrays outside of strings', () => {
    expect(countJson('{"a,b":[1,2,",",{"c":1,"d":2}]}').values).toBe(7);
  });

  it.each(['"1e999 \\" 1e999"', '"\\\\\\" 1e999"', '"[1e999"', '["\\\\",1,"1e999"]'])(
    'does not look for numbers in %s',
    (value) => {
      expect(countJson(`{"a":${value}}`).hasInexactNumber).toBe(false);
    },
  );

  it('takes time linear in the length of any text', () => {
    const text = `{"${'k'.repeat(500_000)}":[${'1e999,'.repeat(50_000)}1],"${'\\\\'.repeat(50_000)}":1}`;
    const began = process.cpuUsage();
    expect(countJson(text)).toMatchObject({ members: 2, hasInexactNumber: true });
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(2_000);
  });
});

describe('parseMarkingInexact', () => {
  it('replaces numbers that cannot be stored exactly with NaN, anywhere', () => {
    expect(parseMarkingInexact('{"a":[1,1e999,{"__proto__":9007199254740993}]}')).toEqual({
      a: [1, NaN, JSON.parse('{"__proto__":null}', (key, value) => (key === '__proto__' ? NaN : value))],
    });
  });
});

describe('indentJson', () => {
  it('indents as the engine does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('leaves numbers as they are written', () => {
    expect(indentJson('{"value":{"amount":100.0}}')).toBe('{\n  "value": {\n    "amount": 100.0\n  }\n}');
  });
});

describe('isExactDecimal', () => {
  it.each(['-0', '1E+2', '100e-2', '1e15', '0e999999'])('keeps %s', (lexeme) =>
    expect(isExactDecimal(lexeme)).toBe(true),
  );

  it.each(['1e999', '1e-400', '0.10000000000000001', '9007199254740993'])('refuses %s', (lexeme) =>
    expect(isExactDecimal(lexeme)).toBe(false),
  );
});

describe('a number that is stored exactly', () => {
  /** Numbers of JSON near the limits of what is stored exactly. */
  const aLexeme = fc
    .tuple(
      fc.stringMatching(/^(0|[1-9]\d{0,17})$/),
      fc.option(fc.stringMatching(/^\d{1,12}$/), { nil: undefined }),
      fc.option(fc.integer({ min: -20, max: 20 }), { nil: undefined }),
    )
    .map(([whole, fraction, exponent]) => {
      const decimals = fraction === undefined ? '' : `.${fraction}`;
      return whole + decimals + (exponent === undefined ? '' : `e${exponent}`);
    });

  /** The plain decimal of a lexeme, by moving its point: without arithmetic, so without rounding. */
  function plainDecimal(lexeme: string): string {
    const [mantissa = '', exponent = '0'] = lexeme.split('e');
    const [whole = '', fraction = ''] = mantissa.split('.');
    const point = whole.length + Number(exponent);
    const digits = (whole + fraction)
      .padEnd(point, '0')
      .padStart(whole.length + fraction.length - Math.min(point, 0), '0');
    const at = Math.max(point, 0);
    const plain = `${digits.slice(0, at).replace(/^0+/, '') || '0'}.${digits.slice(at)}`;
    return plain.replace(/0+$/, '').replace(/\.$/, '');
  }

  it('is returned exactly, in its shortest form', () => {
    fc.assert(
      fc.property(aLexeme, (lexeme) => {
        fc.pre(isExactDecimal(lexeme));
        expect(printDecimal(Number(lexeme))).toBe(plainDecimal(lexeme));
      }),
      { numRuns: 500 },
    );
  });

  it('has up to 15 digits, 9 decimals and 10^15, and every such number is', () => {
    fc.assert(
      fc.property(aLexeme, (lexeme) => {
        const [whole = '', fraction = ''] = plainDecimal(lexeme).split('.');
        const significant = (whole + fraction).replace(/^0+|0+$/g, '');
        const kept = significant.length <= 15 && fraction.length <= 9 && BigInt(whole) <= 10n ** 15n;
        expect([lexeme, isExactDecimal(lexeme)]).toEqual([lexeme, kept]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('membersOf', () => {
  it('splits an object into the texts of its members', () => {
    fc.assert(
      fc.property(fc.dictionary(ANY_TEXT, fc.jsonValue()), (object) => {
        const expected = Object.entries(object).map(([key, value]) => [key, JSON.stringify(value)]);
        expect([...membersOf(JSON.stringify(object))]).toEqual(expected);
      }),
    );
  });
});
