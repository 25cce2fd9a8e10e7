import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mergePatch } from './merge-patch.js';

type JsonObject = Record<string, unknown>;
const aKey = fc.oneof(fc.string({ maxLength: 1 }), fc.constantFrom('a', 'b', '__proto__', 'constructor', 'toString'));
const aValue = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(aKey, fc.oneof(fc.jsonValue(), fc.dictionary(aKey, fc.jsonValue()))),
);
const anObject = fc.dictionary(aKey, aValue) as fc.Arbitrary<JsonObject>;
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The pseudo code of RFC 7396, section 2. */
function rfc7396(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, rfc7396(result.get(name), value));
  }
  return Object.fromEntries(result);
}

describe('mergePatch', () => {
  it('is JSON Merge Patch', () => {
    fc.assert(
      fc.property(anObject, anObject, (target, patch) =>
        isDeepStrictEqual(mergePatch(target, patch), rfc7396(target, patch)),
      ),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(anObject, anObject, (target, patch) => {
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once);
      }),
    );
  });

  it('leaves both as they were', () => {
    const target = { a: { b: 1 } };
    const patch = { a: { b: null, c: 2 } };
    mergePatch(target, patch);
    expect([target, patch]).toEqual([{ a: { b: 1 } }, { a: { b: null, c: 2 } }]);
  });

  it('makes a member of the key __proto__', () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__":{"x":1}}') as JsonObject);
    expect(Object.hasOwn(merged, '__proto__')).toBe(true);
  });
});
