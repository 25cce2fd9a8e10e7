import { describe, expect, it } from '@jest/globals';
import type { AssetType } from '../asset-types/asset-type.js';
import { AssetTypes, SERVICE_FIELDS } from '../asset-types/asset-types.js';
import { basic } from '../asset-types/basic/basic.asset-type.js';
import type { ApiError } from '../errors/api-error.js';
import { NewAssetPipe } from './new-asset.pipe.js';

const own: AssetType = {
  ...basic,
  name: 'own',
  lifecycle: { initial: 'new', states: { new: { editors: [], listed: true } }, moves: [] },
};
const pipe = new NewAssetPipe(new AssetTypes([basic, own]));
const { data } = basic.example;

/** `403 id`: status and names of what a body is refused with. */
function refusal(changes: Record<string, unknown>): string {
  try {
    pipe.transform({ ...data, ...changes });
    return 'none';
  } catch (error) {
    const { status, faults } = error as ApiError;
    return [status, ...faults.map(({ name }) => name)].join(' ');
  }
}

describe('the data of a POST', () => {
  it("is kept as the text of the type's fields", () => {
    const { assetType: _, ...fields } = data;
    const { type, body } = pipe.transform({ ...data, status: 'draft' });
    expect(type).toBe(basic);
    expect(JSON.parse(body)).toEqual(fields);
  });

  it.each([...SERVICE_FIELDS].filter((name) => name !== 'assetType' && name !== 'status'))(
    'may not bring %s, whatever it is',
    (name) => {
      for (const value of ['x', null, {}]) expect(refusal({ [name]: value, title: '' })).toBe(`403 ${name}`);
    },
  );

  it('may bring the status that a new asset has, and no other', () => {
    expect(refusal({ status: 'draft' })).toBe('none');
    expect(refusal({ status: 'active' })).toBe('403 status');
    expect(refusal({ status: 'gone' })).toBe('422 status');
    expect(refusal({ status: null })).toBe('422 status');
    expect(refusal({ assetType: 'own', status: 'new' })).toBe('none');
    expect(refusal({ assetType: 'own', status: 'draft' })).toBe('403 status');
  });

  it('of no known type has the faults that it would have in every type', () => {
    expect(refusal({ assetType: undefined, title: 5, x: 1 })).toBe('422 assetType x title');
    expect(refusal({ assetType: 'gone', status: 'gone' })).toBe('422 assetType status');
  });
});
