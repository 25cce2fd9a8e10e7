import { describe, expect, it } from '@jest/globals';
import { isPatched, repeatable } from './patch.js';

const ITEM = { id: 'a', unit: { code: 'x', name: 'y' } };
const ASSET = { status: 'deleted', value: { amount: 1, currency: 'UAH' }, items: [ITEM, { id: 'b' }] };

it.each([
  [{ status: 'deleted' }, true],
  [{ value: { amount: 1 } }, true],
  [{ status: { deleted: true } }, false],
  [{ relatedLot: null }, true],
  [{ value: { currency: null } }, false],
  [{ items: [{ id: 'a', unit: { code: 'x' } }] }, true],
  [{ items: [{ unit: { code: 'x' } }] }, false],
  [{ items: 1 }, false],
  [{ items: { a: { unit: { name: 'y' } }, c: null } }, true],
  [{ items: { a: null } }, false],
])('an asset already has the patch %j: %s', (patch, expected) => {
  expect(isPatched(ASSET, patch)).toBe(expected);
});

describe('a patch that may be repeated', () => {
  it('is what it was, where nothing is added to a list', () => {
    const patch = { title: 'x', value: { amount: 1 }, relatedLot: null, items: [ITEM], words: ['a'], none: [] };
    expect(repeatable(patch)).toEqual(patch);
    expect(repeatable({ items: { a: { unit: ITEM.unit }, b: null } })).toEqual({
      items: { a: { unit: ITEM.unit }, b: null },
    });
  });

  it('names what is added', () => {
    const { items } = repeatable({ items: [{ unit: ITEM.unit, parts: [{}] }] }) as {
      items: { id: string; parts: unknown[] }[];
    };
    const id = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(items).toEqual([{ id, unit: ITEM.unit, parts: [{ id }] }]);
  });
});
