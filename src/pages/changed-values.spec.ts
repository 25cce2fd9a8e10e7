import { describe, expect, it } from '@jest/globals';
import { Value } from '../asset-types/shared/parts.dto.js';
import type { PastStates } from '../feed/reading/past-states.js';
import type { AssetViewModel } from './asset-view-model.js';
import { findLoweredPrice } from './changed-values.js';

const UAH = (amount: number, more: object = {}): object => ({
  currency: 'UAH',
  amount,
  valueAddedTaxIncluded: true,
  ...more,
});

/** @param values of the states, the newest first; each was made by a change of the price, but for the last, the publication */
function lowered(...values: (object | undefined)[]) {
  const page = { value: values[0], nameOf: (dto: unknown) => (dto === Value ? 'price' : undefined) };
  const history = values.map((_, i) => ({
    modifiedUs: 1_000 - i,
    changed: i === values.length - 1 ? undefined : ['price'],
  }));
  const at = (index: number) => Promise.resolve(index < values.length ? { price: values[index] } : undefined);
  return findLoweredPrice(page as unknown as AssetViewModel, { history, at } as unknown as PastStates);
}

describe('the price before it was lowered', () => {
  it('is the one before the newest change', async () => {
    expect(await lowered(UAH(1), UAH(3), UAH(5))).toEqual({ from: 3, atUs: 1_000 });
  });

  it('is found behind changes of other fields', async () => {
    expect(await lowered(UAH(1), UAH(1), UAH(5))).toEqual({ from: 5, atUs: 999 });
    expect(await lowered(UAH(1), UAH(1), UAH(1), UAH(1), UAH(5))).toBeUndefined();
  });

  it.each([
    ['was never changed', [UAH(1)]],
    ['was raised', [UAH(3), UAH(1), UAH(5)]],
    ['was in another currency', [UAH(1), UAH(5, { currency: 'USD' })]],
    ['had other tax', [UAH(1), UAH(5, { valueAddedTaxIncluded: false })]],
    ['was erased', [UAH(1), undefined]],
    ['is erased', [undefined, UAH(5)]],
  ])('is unknown if it %s', async (_, values) => {
    expect(await lowered(...values)).toBeUndefined();
  });
});
