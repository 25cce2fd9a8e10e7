import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FieldFault, readFields } from '../asset-types/fields-json.js';
import { Items, Nested, Text, Texts } from '../asset-types/fields.js';
import { MAX_ITEMS } from '../asset-types/rules.js';
import { Item } from '../asset-types/shared/parts.dto.js';
import { mergePatch } from './merge-patch.js';

const LABELS = { uk: 'Поле', en: 'Field' };

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

  it('sets a member named __proto__', () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__":{"x":1}}') as JsonObject);
    expect(Object.hasOwn(merged, '__proto__')).toBe(true);
  });
});

class Proof extends Item {
  @Text(LABELS)
  text!: string;
}

class Court {
  @Text({ ...LABELS, optional: true })
  name?: string;
}

class Case {
  @Items(() => Proof, LABELS)
  proofs!: Proof[];

  @Nested(() => Court, { ...LABELS, optional: true })
  court?: Court;

  @Texts({ ...LABELS, optional: true })
  judges?: string[];
}

describe('a list of items', () => {
  const a = { id: 'a', text: '1' };
  const b = { id: 'b', text: '2' };
  const merged = (proofs: unknown, before: unknown = [a, b]): unknown =>
    mergePatch({ proofs: before }, { proofs }, Case)['proofs'];

  it('keeps items that the patch does not name, merges those that it names, and adds the others', () => {
    expect(merged([{ id: 'b', text: '3' }, { text: '4' }, { id: 'c' }])).toEqual([
      a,
      { id: 'b', text: '3' },
      { text: '4' },
      { id: 'c' },
    ]);
    expect(merged([])).toEqual([a, b]);
    expect(merged([{ id: 'a', text: null }])).toEqual([{ id: 'a' }, b]);
  });

  it('is patched by an object of items by id, where null removes an item', () => {
    expect(merged({ a: null, b: { text: '3' }, c: { text: '4' }, d: null })).toEqual([
      { id: 'b', text: '3' },
      { id: 'c', text: '4' },
    ]);
  });

  it.each([['x'], [5]])('is replaced by %j, which validation refuses', (value) => {
    expect(merged(value)).toBe(value);
    expect(merged([value])).toEqual([a, b, value]);
  });

  it('is replaced by a list that is too long, which validation refuses as it would the merged list', () => {
    const list = (count: number): object[] => Array.from({ length: count }, () => ({}));
    expect(merged(list(MAX_ITEMS + 1))).toHaveLength(MAX_ITEMS + 1);
    expect(merged(list(MAX_ITEMS))).toHaveLength(MAX_ITEMS + 2);
    const faultsOf = (proofs: unknown): FieldFault[] => readFields(Case, { proofs }).faults;
    const fault = { name: 'proofs', description: 'At most 1000 are kept' };
    expect(faultsOf(merged(list(MAX_ITEMS + 1)))).toContainEqual(fault);
    expect(faultsOf(merged(list(MAX_ITEMS)))).toContainEqual(fault);
  });

  it('has an item twice if the patch names it twice, so that validation refuses it', () => {
    expect(merged([{ id: 'a', text: '3' }, { id: 'a' }])).toEqual([{ id: 'a', text: '3' }, b, { id: 'a' }]);
    expect(merged([{ id: 'c' }, { id: 'c' }])).toEqual([a, b, { id: 'c' }, { id: 'c' }]);
  });

  it.each([['b'], [null]])('refuses to change the id of an item to %j', (id) => {
    expect(merged({ a: { id, text: '3' } })).toEqual([{ id: '', text: '3' }, b]);
  });

  it('has items of any id', () => {
    const hostile = JSON.parse('{"__proto__":{"text":"3"},"constructor":null,"toString":{"__proto__":{"x":1}}}');
    expect(JSON.stringify(merged(hostile))).toBe(
      JSON.stringify([a, b]).replace(/.$/, ',{"id":"__proto__","text":"3"},{"id":"toString","__proto__":{"x":1}}]'),
    );
  });
});

describe('a null for an unknown field', () => {
  const patched = (patch: string): string =>
    JSON.stringify(mergePatch({ status: 'x' }, JSON.parse(patch) as JsonObject, Case, new Set(['status'])));

  it.each(['x', '__proto__', 'constructor', 'id'])(
    'stays, so that validation refuses it like any other value: %s',
    (name) => {
      const rogue = `"${name}":null`;
      expect(patched(`{${rogue}}`)).toBe(`{"status":"x",${rogue}}`);
      expect(patched(`{"court":{${rogue},"name":null}}`)).toBe(`{"status":"x","court":{${rogue}}}`);
      if (name !== 'id') {
        expect(patched(`{"proofs":[{${rogue}}]}`)).toBe(`{"status":"x","proofs":[{${rogue}}]}`);
        expect(mergePatch({ proofs: [{ id: 'a' }] }, JSON.parse(`{"proofs":{"a":{${rogue}}}}`), Case)).toEqual({
          proofs: [JSON.parse(`{"id":"a",${rogue}}`)],
        });
      }
    },
  );
});

describe('very many unknown fields', () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`m${i}`, i]));
  const reported = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`m${i}`, i]));

  it('are cut to as many as a refusal lists, at any depth, and known fields stay', () => {
    const patch = { ...many, judges: ['a'], court: { ...many, name: 'b' }, proofs: { a: { ...many, text: 'c' } } };
    expect(mergePatch({ proofs: [{ id: 'a' }] }, patch, Case)).toEqual({
      ...reported,
      judges: ['a'],
      court: { ...reported, name: 'b' },
      proofs: [{ id: 'a', ...reported, text: 'c' }],
    });
  });
});
