import { describe, expect, it } from '@jest/globals';
import type { AssetType } from './asset-type.js';
import { AssetTypes } from './asset-types.js';
import { fieldsOf } from './fields.js';
import * as installed from './installed.js';
import { readFields, printFields } from './fields-json.js';

type JsonObject = Record<string, unknown>;

const TYPES: readonly AssetType[] = Object.values(installed);

it('the installed types may stand beside each other', () => {
  expect(() => new AssetTypes(TYPES)).not.toThrow();
});

describe.each(TYPES)('the asset type $name', ({ dto, example }) => {
  const { assetType: _type, ...data } = example.data;

  it('prints its example so that it reads as the same', () => {
    const text = printFields(dto, readFields(dto, data).fields);
    const again = readFields(dto, JSON.parse(text) as JsonObject);
    expect(again.faults).toEqual([]);
    expect(printFields(dto, again.fields)).toBe(text);
    expect(JSON.parse(text)).toEqual(data);
  });

  it.each([...fieldsOf(dto)].filter(([, { optional }]) => !optional).map(([field]) => field))(
    'requires %s',
    (field) => {
      const { [field]: _, ...rest } = data;
      expect(readFields(dto, rest).faults).toContainEqual({ name: field, description: 'This field is required' });
    },
  );

  it.each([...fieldsOf(dto).keys()])('refuses null and what is no value of %s', (field) => {
    const { nested, list } = fieldsOf(dto).get(field) ?? {};
    // A kind of a team's own may take a list of values, and none an object.
    for (const value of [null, nested && !list ? [] : {}]) {
      expect(readFields(dto, { ...data, [field]: value }).faults.map((fault) => fault.name)).toEqual([field]);
    }
  });
});
