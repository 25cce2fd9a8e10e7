import { describe, expect, it } from '@jest/globals';
import { Exclude, Expose, Type } from 'class-transformer';
import { Allow, IsOptional, MaxLength, registerDecorator, type ValidationArguments } from 'class-validator';
import fc from 'fast-check';
import {
  Amount,
  Currency,
  type DtoClass,
  Flag,
  LongText,
  Nested,
  Quantity,
  Text,
  ValueField,
  WebUrl,
} from './fields.js';
import { prepare } from './prepared-dto.js';
import { type FieldsRead, readFields, printFields } from './fields-json.js';
import { basic, claimRights, compound } from './installed.js';
import { PlainDto } from './plain-dto.js';

const LABELS = { uk: 'Поле', en: 'Field' };

type JsonObject = Record<string, unknown>;

@PlainDto()
class Inner {
  @Text(LABELS)
  name!: string;

  @Flag(LABELS)
  flag = true;
}

/** Sound when it is empty. */
@PlainDto()
class Loose {
  @Text({ ...LABELS, optional: true })
  name?: string;
}

@PlainDto()
class Base {
  @Text({ ...LABELS, optional: true })
  text?: string;

  @Nested(() => Inner, LABELS)
  inner!: Inner;
}

/** Every word of the vocabulary, a list of values, inheritance and a DTO within itself. */
@PlainDto()
class Everything extends Base {
  @LongText({ ...LABELS, optional: true })
  description?: string;

  @Currency(LABELS)
  currency!: string;

  @Quantity(LABELS)
  quantity!: number;

  @Amount(LABELS)
  amount = 5;

  @WebUrl({ ...LABELS, optional: true })
  uri?: string;

  @ValueField((value) => (Array.isArray(value) ? undefined : 'A list is required'), {
    ...LABELS,
    schema: {},
    optional: true,
  })
  list?: unknown[] = [];

  @Nested(() => Everything, { ...LABELS, optional: true })
  everything?: Everything;

  @Nested(() => Loose, { ...LABELS, optional: true })
  loose?: Loose;

  @Text({ ...LABELS, optional: true })
  override text?: string = 'x';
}

const SOUND: JsonObject = {
  text: 'Земля',
  inner: { name: 'x', flag: false },
  description: '',
  currency: 'UAH',
  quantity: 5,
  amount: 1e-7,
  uri: 'http://x/',
  list: [1, 'x', [null]],
  loose: {},
  everything: { currency: 'EUR', quantity: 0, inner: { name: 'y' } },
};

const KEYS = [
  'text',
  'inner',
  'name',
  'flag',
  'description',
  'currency',
  'quantity',
  'amount',
  'uri',
  'list',
  'loose',
  'everything',
];
const HOSTILE = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'then',
  'length',
  '',
  'x',
  'title',
  'value',
  'status',
];
const aKey = fc.oneof(fc.constantFrom(...KEYS, ...HOSTILE), fc.string());
const aValue = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, NaN, -1, 1e16, '', '\0', '\ud800', [], {}, [[{}]], true, 'UAH', 'http://y'),
  fc.jsonValue(),
  fc.dictionary(aKey, fc.jsonValue()),
);
/** Where in an object: the number of a member, at every level. */
const aPlace = fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 3 });
const anEdit = fc.record({ place: aPlace, remove: fc.boolean(), key: fc.option(aKey), value: aValue });
type Edit = typeof anEdit extends fc.Arbitrary<infer T> ? T : never;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Gives a member another value, takes it away, or puts another beside it. */
function edited(data: JsonObject, { place: [index = 0, ...deeper], remove, key, value }: Edit): JsonObject {
  const members = Object.entries(data);
  const at = index % (members.length + 1);
  const [name, old] = members[at] ?? [key ?? 'x', undefined];
  if (deeper.length > 0 && isObject(old)) members[at] = [name, edited(old, { place: deeper, remove, key, value })];
  else if (remove) members.splice(at, 1);
  else members[at] = [key ?? name, value];
  return Object.fromEntries(members);
}

/** The same for class-transformer, which is promised nothing, and for class-validator, which has a rule of a team's that refuses nothing. */
class ByLibraries extends Everything {}
Allow()(ByLibraries.prototype, 'text');

/** The same for class-transformer alone. */
class ByTransformer extends Everything {
  @Text({ ...LABELS, optional: true })
  override text?: string = 'x';
}

/** The fields of a parent class come first here, and last in class-validator; so where there are too many to tell, others are told. */
const told = (dto: DtoClass, { fields, faults }: FieldsRead): unknown => ({
  faults: faults.length < 20 ? faults.toSorted((one, other) => (one.name < other.name ? -1 : 1)) : 20,
  text: faults.length > 0 ? undefined : printFields(dto, fields),
});

it.each([basic, claimRights, compound])('class-transformer and class-validator are not asked for $name', ({ dto }) => {
  expect(prepare(dto)).toMatchObject({ isPlain: true, hasOnlyOurRules: true });
});

describe('every word of the vocabulary', () => {
  it('is read in one walk, where nothing else describes it', () => {
    expect(prepare(Everything)).toMatchObject({ isPlain: true, hasOnlyOurRules: true });
    expect(prepare(ByTransformer)).toMatchObject({ isPlain: false, hasOnlyOurRules: true });
    expect(prepare(ByLibraries)).toMatchObject({ isPlain: false, hasOnlyOurRules: false });
    const { fields, faults } = readFields(Everything, SOUND);
    expect(faults).toEqual([]);
    expect(fields).toBeInstanceOf(Everything);
    expect(fields).toMatchObject(SOUND);
  });

  it.each([ByTransformer, ByLibraries])('is read as the libraries read it, sound or broken: %p', (dto) => {
    fc.assert(
      fc.property(fc.array(anEdit, { maxLength: 3 }), (edits) => {
        const data = edits.reduce(edited, SOUND);
        expect(told(Everything, readFields(Everything, data))).toStrictEqual(told(dto, readFields(dto, data)));
      }),
      { numRuns: 300 },
    );
  });
});

/** The names of the faulty fields, or what would be stored. */
function outcome(dto: DtoClass, data: JsonObject): unknown {
  const { fields, faults } = readFields(dto, data);
  return faults.length > 0 ? faults.map(({ name }) => name) : printFields(dto, fields);
}

it('members that are somebody else’s to read are passed over, in the root only', () => {
  const others = new Set(['status']);
  expect(readFields(Everything, { ...SOUND, status: [] }, others)).toEqual(readFields(Everything, SOUND));
  for (const dto of [Everything, ByLibraries]) {
    const { faults } = readFields(dto, { ...SOUND, x: 1, status: [], loose: { status: 1 } }, others);
    expect(faults.map((fault) => fault.name)).toEqual(['loose.status', 'x']);
  }
});

/** A custom constraint that looks at the whole object. */
function LongerThan(other: string): PropertyDecorator {
  const validate = (value: unknown, { object }: ValidationArguments): boolean =>
    String(value).length > String((object as JsonObject)[other]).length;
  return (prototype, name) =>
    registerDecorator({
      name: 'longerThan',
      target: prototype.constructor,
      propertyName: String(name),
      options: {},
      validator: { validate: (value, args) => args !== undefined && validate(value, args) },
    });
}

class Pair {
  @Text(LABELS)
  short!: string;

  @Text(LABELS)
  @LongerThan('short')
  long!: string;
}

class Lenient {
  @Text(LABELS)
  @IsOptional()
  text?: string;
}

class Converted {
  @ValueField(() => undefined, { ...LABELS, schema: {} })
  @Type(() => String)
  value!: string;
}

class Renamed {
  @Text(LABELS)
  @Expose({ name: 'alias' })
  text = 'default';

  @Text({ ...LABELS, optional: true })
  alias?: string;
}

class Hidden {
  @Text(LABELS)
  @Exclude()
  text = 'default';
}

class Filled {
  @Nested(() => Inner, LABELS)
  inner = new Inner();
}

class Narrowed extends Base {
  @MaxLength(2)
  override text?: string = undefined;
}

describe('what a team adds beside the vocabulary goes on working', () => {
  it.each<[string, DtoClass, JsonObject, unknown]>([
    ['a rule that sees the whole object', Pair, { short: 'ab', long: 'a' }, ['long']],
    ['a required field that is made optional', Lenient, {}, '{}'],
    ['a conversion', Converted, { value: 5 }, '{"value":"5"}'],
    ['another name', Renamed, { alias: 'x' }, '{"text":"x"}'],
    ['a field that is not taken', Hidden, { text: 'x' }, '{"text":"default"}'],
    ['a nested object that is there by default, and faulty', Filled, {}, ['inner.name']],
    ['a rule on a field of a parent class', Narrowed, { text: 'xyz', inner: { name: 'x' } }, ['text']],
  ])('%s', (_name, dto, data, expected) => {
    expect(outcome(dto, data)).toEqual(expected);
  });
});
