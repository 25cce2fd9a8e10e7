import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isSame, memberOf } from './asset-view.js';

const parsed = (text: string): unknown => JSON.parse(text);

describe('isSame', () => {
  it('compares any two JSON values as their texts compare, apart from the order of members', () => {
    const value = fc.jsonValue({ maxDepth: 3 }).map((one) => parsed(JSON.stringify(one)));
    // Mostly alike, as before and after a change.
    const few = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(0, 1, '', 'a', true, false, null),
        fc.array(tie('any'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('any')).map((one) => parsed(JSON.stringify(one))),
      ),
    })).any;
    fc.assert(
      fc.property(fc.oneof(few, value), fc.oneof(few, value), (one, other) => {
        expect(isSame(one, other)).toBe(isDeepStrictEqual([one], [other]));
        expect(isSame(one, structuredClone(one))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['-0 and 0', -0, 0, true],
    ['an undefined and a missing member', { a: 1, b: undefined }, { a: 1 }, true],
    ['an object and an object of a class', { a: 1 }, Object.assign(new (class Part {})(), { a: 1 }), true],
    ['an inherited member and none', parsed('{"__proto__":{}}'), {}, false],
    ['no number and a number', NaN, 1, false],
  ])('of %s', (_, one, other, expected) => {
    expect([isSame(one, other), isSame(other, one)]).toEqual([expected, expected]);
  });
});

it('memberOf ignores inherited members', () => {
  expect([memberOf({ a: 1 }, 'a'), memberOf({}, 'toString'), memberOf({}, '__proto__')]).toEqual([
    1,
    undefined,
    undefined,
  ]);
});
