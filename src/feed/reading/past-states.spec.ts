import { expect, it } from '@jest/globals';
import { EncodedText } from '../../platform/text/encoded-text.js';
import type { AssetHistory } from './asset-history.js';
import { PastStates } from './past-states.js';

const PRESENT = { asset: { id: 'x', modifiedUs: 3 }, values: { title: 'now' } };
const HISTORY = [3, 2, 1].map((modifiedUs) => ({
  modifiedUs,
  status: 'pending',
  relatedLot: null,
  changed: undefined,
}));

function statesOf(padding = '') {
  const read: number[] = [];
  const at = (_id: string, us: number) => {
    read.push(us);
    return Promise.resolve({ body: EncodedText.from(Buffer.from(JSON.stringify({ title: `at ${us}`, padding }))) });
  };
  return { read, states: new PastStates(PRESENT, HISTORY, { at } as unknown as Pick<AssetHistory, 'at'>) };
}

it('past states are read once each, and the current one never', async () => {
  const { read, states } = statesOf();
  for (const index of [0, 1, 1, 2, 3]) await states.at(index);
  expect(read).toEqual([2, 1]);
  expect(await states.at(0)).toBe(PRESENT.values);
  expect(await states.at(1)).toMatchObject({ title: 'at 2' });
  expect(await states.at(3)).toBeUndefined();
});

it('the budget for past states is spent after 256 KiB', async () => {
  const { states } = statesOf('x'.repeat(200_000));
  await states.at(1);
  expect(states.isSpent).toBe(false);
  await states.at(2);
  expect(states.isSpent).toBe(true);
});
