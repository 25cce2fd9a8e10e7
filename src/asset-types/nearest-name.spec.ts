import { describe, expect, it } from '@jest/globals';
import { nearestName } from './nearest-name.js';

const KNOWN = ['title', 'description', 'quantity', 'unit', 'assetCustodian', 'id', 'relatedLot'];

describe('the nearest name', () => {
  it.each([
    ['titel', 'title'],
    ['uint', 'unit'],
    ['Title', 'title'],
    ['relatedlot', 'relatedLot'],
    ['asset_custodian', 'assetCustodian'],
    ['custodian', 'assetCustodian'],
  ])('to %s is %s', (name, nearest) => {
    expect(nearestName(name, KNOWN)).toBe(nearest);
  });

  it.each(['', 'colour', '__proto__', 'tilt up'])('to %j does not exist', (name) => {
    expect(nearestName(name, KNOWN)).toBeUndefined();
  });

  it('is the first of the nearest', () => {
    expect(nearestName('names', ['game', 'name', 'named'])).toBe('name');
  });

  it('to a long name is not searched for', () => {
    const long = 'x'.repeat(1_000_000);
    expect(nearestName(long, [long, `${long}y`])).toBeUndefined();
  });
});
