import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { printAssetInterfaces } from '../../scripts/asset-interfaces.js';
import { basic } from '../../src/asset-types/basic/basic.asset-type.js';
import { ValueField } from '../../src/asset-types/fields.js';
import * as installed from '../../src/asset-types/installed.js';

const FILE = 'clients/typescript/src/asset-types.ts';

describe('npm run client:types', () => {
  it('was run since the asset types were changed', async () => {
    expect(readFileSync(FILE, 'utf8')).toBe(await printAssetInterfaces(Object.values(installed)));
  });

  it('refuses two types of the same name', async () => {
    await expect(printAssetInterfaces([basic, { ...basic }])).rejects.toThrow(/would be called BasicInput/);
  });

  it('says which fields an answer always has, and which a broker may leave out', async () => {
    const source = await printAssetInterfaces([basic]);
    expect(source).toMatch(/interface ValueInput \{[^}]*valueAddedTaxIncluded\?: boolean;/);
    expect(source).toMatch(/interface Value \{[^}]*valueAddedTaxIncluded: boolean;/);
    expect(source).toMatch(/interface BasicInput \{[^}]*value: ValueInput;/);
    expect(source).toMatch(/interface Basic extends ServiceFields \{[^}]*value: Value;/);
  });

  it('knows the other names that a type had', async () => {
    expect(await printAssetInterfaces([{ ...basic, aliases: ['plain'] }])).toMatch(/assetType: 'basic' \| 'plain';/);
  });

  it('knows the kinds of numbers of JSON Schema, and what a kind of a team says nothing of', async () => {
    const source = await printAssetInterfaces([{ ...basic, name: 'tree', dto: Tree }]);
    expect(source).toMatch(/interface TreeInput \{[^}]*age: number;[^}]*rings: unknown;/);
  });
});

class Tree {
  @ValueField(() => undefined, { uk: 'Вік', en: 'Age', schema: { type: 'integer' } }) age!: number;
  @ValueField(() => undefined, { uk: 'Кільця', en: 'Rings', schema: { type: 'array' } }) rings!: number[];
}
