import { expect, it } from '@jest/globals';
import type { ApiError } from '../errors/api-error.js';
import { assetTooLarge, changeRefused, fieldsInvalid, fieldsNotWritable } from '../errors/errors.js';
import { groupRefusal } from './group-refusal.js';

const namesOf = (refusal: ApiError, patch = {}): string[] => {
  const members = Array.from({ length: 4 }, () => ({ id: '', patch }));
  return groupRefusal(new Map([[3, refusal]]), members).faults.map(({ name }) => name);
};

it('names a field by its path in its member, one that is called data too', () => {
  const names = ['data', 'title'];
  const paths = ['data.3.data', 'data.3.title'];
  expect(namesOf(fieldsInvalid(names.map((name) => ({ name, description: 'Rogue field' }))))).toEqual(paths);
  expect(namesOf(fieldsNotWritable(names))).toEqual(paths);
});

it('names the member itself where all of the asset is meant', () => {
  for (const refusal of [assetTooLarge(), changeRefused('active')]) expect(namesOf(refusal)).toEqual(['data.3']);
  expect(namesOf(assetTooLarge(), { status: 'pending' })).toEqual(['data.3']);
});

it('names the status of a member that may not be moved', () => {
  expect(namesOf(changeRefused('active'), { status: 'draft' })).toEqual(['data.3.status']);
});
