import { expect, it } from '@jest/globals';
import { holds } from './patch.js';

const ASSET = { status: 'deleted', value: { amount: 1, currency: 'UAH' }, items: [{ id: 'a' }] };

it.each([
  [{}, true],
  [{ status: 'deleted' }, true],
  [{ status: 'pending' }, false],
  [{ value: { amount: 1 } }, true],
  [{ value: { amount: 2 } }, false],
  [{ status: { deleted: true } }, false],
  [{ relatedLot: null }, true],
  [{ value: { currency: null } }, false],
  [{ items: [{ id: 'a' }] }, true],
  [{ items: [] }, false],
])('an asset holds the patch %j: %s', (patch, isHeld) => {
  expect(holds(ASSET, patch)).toBe(isHeld);
});
