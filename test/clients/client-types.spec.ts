import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { printAssetInterfaces } from '../../scripts/asset-interfaces.js';
import { basic } from '../../src/asset-types/basic/basic.asset-type.js';
import { DateTime, Text, Texts, ValueField, Year } from '../../src/asset-types/fields.js';
import * as installed from '../../src/asset-types/installed.js';
import { type Lifecycle, STANDARD_LIFECYCLE } from '../../src/asset-types/lifecycle.js';

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

  it('knows the numbers of JSON Schema, and teams’ field kinds without a schema', async () => {
    const source = await printAssetInterfaces([{ ...basic, name: 'tree', dto: Tree }]);
    expect(source).toMatch(/interface TreeInput \{[^}]*age: number;[^}]*rings: unknown\[\];[^}]*notes: unknown;/);
  });

  it('knows element types of lists, and years', async () => {
    const source = await printAssetInterfaces([{ ...basic, name: 'tree', dto: Tree }]);
    expect(source).toMatch(/interface TreeInput \{[^}]*makes\?: string\[\];[^}]*kinds: \('oak' \| "wych elm's"\)\[\];/);
  });

  it('omits from creations the fields that brokers may never send, and from changes those that no role may', async () => {
    const source = await printAssetInterfaces([{ ...basic, name: 'tree', dto: Tree, lifecycle: INSPECTED }]);
    const [input, answer] = [membersOf(source, 'TreeInput'), membersOf(source, 'Tree extends ServiceFields')];
    expect(input).toContain('age: number');
    expect(input).not.toMatch(/checkedBy|felledOn/);
    expect(answer).toMatch(/checkedBy\?: string;[^}]*felledOn\?: string;/);
    expect(membersOf(source, 'TreeLater')).toMatch(/checkedBy\?: string;/);
    expect(membersOf(source, 'TreeLater')).not.toMatch(/felledOn|age/);
    expect(source).toContain("Patch<Omit<TreeInput, 'assetType'> & TreeLater>");
  });
});

const membersOf = (source: string, name: string): string =>
  new RegExp(`interface ${name} \\{([^}]*)\\}`).exec(source)?.[1] ?? '';

const { draft, pending, ...otherStates } = STANDARD_LIFECYCLE.states;

/** A field that only the concierge writes, and one that only a move sets. */
const INSPECTED: Lifecycle = {
  ...STANDARD_LIFECYCLE,
  states: {
    ...otherStates,
    draft: { ...draft, editors: { owner: ['age', 'rings', 'notes', 'makes', 'kinds'] } },
    pending: { ...pending, editors: { concierge: ['relatedLot', 'checkedBy'] } },
  },
};

const MAKES = { type: 'array', items: { type: 'string' } };
const KINDS = { type: 'array', items: { enum: ['oak', "wych elm's"] } };

class Tree {
  @ValueField(() => undefined, { uk: 'Вік', en: 'Age', schema: { type: 'integer' } }) age!: number;
  @ValueField(() => undefined, { uk: 'Кільця', en: 'Rings', schema: { type: 'array' } }) rings!: number[];
  @ValueField(() => undefined, { uk: 'Нотатки', en: 'Notes', schema: {} }) notes!: string;
  @ValueField(() => undefined, { uk: 'Марки', en: 'Makes', optional: true, schema: MAKES }) makes?: string[];
  @ValueField(() => undefined, { uk: 'Види', en: 'Kinds', schema: KINDS }) kinds!: string[];
  @Text({ uk: 'Перевірено', en: 'Checked by', optional: true }) checkedBy?: string;
  @DateTime({ uk: 'Зрубано', en: 'Felled on', optional: true }) felledOn?: string;
  @Year({ uk: 'Рік', en: 'Year' }) planted!: number;
  @Texts({ uk: 'Імена', en: 'Names', optional: true }) names?: string[];
}
