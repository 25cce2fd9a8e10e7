import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { AssetType } from './asset-type.js';
import { Choice, Items, type JsonSchema, Nested, Text } from './fields.js';
import * as installed from './installed.js';
import { STANDARD_LIFECYCLE } from './lifecycle.js';
import { Address, Item } from './shared/parts.dto.js';
import { type SchemasOfType, schemasOfTypes } from './type-schemas.js';

const label = (en: string) => ({ uk: `${en} українською`, en });

class Unit {
  @Text(label('Number of the flat'))
  flat!: string;
}

class Room extends Item {
  @Text(label('Purpose'))
  purpose!: string;

  @Items(() => Room, { ...label('Rooms within'), optional: true })
  rooms?: Room[];
}

class House {
  @Choice({ brick: label('Brick'), wood: label('Wood') }, label('Walls'))
  walls!: string;

  @Nested(() => Unit, { ...label('Unit'), optional: true })
  unit?: Unit;

  @Nested(() => Address, label('Address'))
  address!: Address;

  @Items(() => Room, { ...label('Rooms'), atLeast: 1 })
  rooms!: Room[];

  @Text({ ...label('Verdict'), optional: true })
  verdict?: string;
}

const { states, moves } = STANDARD_LIFECYCLE;
const house: AssetType = {
  name: 'house',
  aliases: ['cottage'],
  labels: label('House'),
  dto: House,
  example: {
    data: { assetType: 'house', walls: 'wood', address: { countryName: 'Україна' }, rooms: [{ purpose: 'kitchen' }] },
  },
  lifecycle: {
    initial: 'draft',
    moves,
    states: {
      ...states,
      draft: { ...states['draft'], editors: { owner: ['walls', 'unit', 'address', 'rooms'], concierge: ['verdict'] } },
    },
  },
};
const types: AssetType[] = [...Object.values(installed), house];
const { schemas, byType } = schemasOfTypes(types, new Set(['Address']));

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ components: { schemas } }, 'openapi', false, false);

function schemaOf(type: AssetType, which: keyof SchemasOfType): JsonSchema {
  return schemas[nameOf(byType.get(type)![which])]!;
}

const nameOf = (reference: JsonSchema): string => String(reference['$ref']).split('/').at(-1)!;

function isValid(type: AssetType, which: keyof SchemasOfType, data: unknown): boolean {
  return ajv.getSchema(`openapi${String(byType.get(type)![which]['$ref'])}`)!(data) as boolean;
}

const ID = 'a'.repeat(32);
const INSTANT = '2017-08-16T18:36:13.882146+03:00';
const SERVICE = {
  id: ID,
  assetID: 'UA-2017-08-16-000001',
  status: 'draft',
  owner: 'b',
  date: INSTANT,
  dateModified: INSTANT,
};

describe.each(types.map((type) => [type.name, type] as const))('the schema of a new %s', (_, type) => {
  const { data } = type.example;

  it('accepts the example', () => {
    expect(isValid(type, 'created', data)).toBe(true);
  });

  it.each(Object.keys(data))('refuses the example without %s, unless it is optional', (name) => {
    const { [name]: _left, ...others } = data;
    const isOptional = !(schemaOf(type, 'created')['required'] as string[]).includes(name);
    expect(isValid(type, 'created', others)).toBe(isOptional);
  });

  it.each(['colour', 'owner'])('has no %s', (name) => {
    expect(isValid(type, 'created', { ...data, [name]: 'x' })).toBe(false);
  });
});

describe('the schema of an answer', () => {
  const { data } = house.example;
  const asset = { ...data, ...SERVICE, rooms: [{ id: ID, purpose: 'kitchen' }] };

  it('accepts assets', () => {
    expect(isValid(house, 'answered', asset)).toBe(true);
    expect(isValid(house, 'answered', { ...asset, relatedLot: ID, status: 'active' })).toBe(true);
  });

  it.each([
    ['an inner item without id', { rooms: [{ id: ID, purpose: 'flat', rooms: [{ purpose: 'kitchen' }] }] }],
    ['another type', { assetType: 'basic' }],
    ['null', { verdict: null }],
    ['an unknown field', { tokenDigest: 'x' }],
    ['milliseconds', { date: '2017-08-16T18:36:13.882+03:00' }],
  ])('refuses %s', (_, other) => {
    expect(isValid(house, 'answered', { ...asset, ...other })).toBe(false);
  });
});

describe('the schema of a patch', () => {
  it.each([
    ['null for removable fields', { unit: null, relatedLot: null, address: { region: null } }],
    ['items by id, with null to remove one', { rooms: { [ID]: null, ['b'.repeat(32)]: { purpose: 'bath' } } }],
    ['items within items', { rooms: { [ID]: { rooms: { [ID]: null } } } }],
  ])('accepts %s', (_, patch) => {
    expect(isValid(house, 'patch', patch)).toBe(true);
  });

  it.each([
    ['null for a nested required field', { address: { countryName: null } }],
    ['null for all items', { rooms: null }],
    ['an item under a key that is not an id', { rooms: { first: { purpose: 'bath' } } }],
    ['a status of another type', { status: 'verification' }],
  ])('refuses %s', (_, patch) => {
    expect(isValid(house, 'patch', patch)).toBe(false);
  });
});

describe('labels', () => {
  it('are in the schemas of the type, its fields, states and choices', () => {
    const uk = (en: string): string => label(en).uk;
    expect(schemaOf(house, 'answered')).toMatchObject({
      title: 'House',
      'x-label-uk': uk('House'),
      properties: {
        owner: { title: 'Broker', 'x-label-uk': 'Організатор' },
        status: { 'x-states': { complete: { uk: 'Продано', en: 'Sold' } } },
        walls: { title: 'Walls', 'x-label-uk': uk('Walls'), 'x-choices': { brick: label('Brick') } },
      },
    });
  });
});

describe('names of schemas', () => {
  it('are the class names, with a number if taken', () => {
    const unit = (schemaOf(house, 'answered')['properties'] as Record<string, JsonSchema>)['unit']!;
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(['Unit', 'Unit2', 'UnitPatch', 'UnitPatch2', 'Address2']),
    );
    expect(nameOf(unit)).toBe('Unit2');
    expect(schemas).not.toHaveProperty('Address');
  });
});
