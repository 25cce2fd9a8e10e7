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

/** Valid if empty. */
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

/** Every kind of field, a list of values, inheritance, and a DTO that contains itself. */
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
/** Index of a member at each level. */
const aPath = fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 3 });
const anEdit = fc.record({ path: aPath, remove: fc.boolean(), key: fc.option(aKey), value: aValue });
type Edit = typeof anEdit extends fc.Arbitrary<infer T> ? T : never;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Changes, removes or adds a member. */
function edited(data: JsonObject, { path: [index = 0, ...deeper], remove, key, value }: Edit): JsonObject {
  const members = Object.entries(data);
  const at = index % (members.length + 1);
  const [name, old] = members[at] ?? [key ?? 'x', undefined];
  if (deeper.length > 0 && isObject(old)) members[at] = [name, edited(old, { path: deeper, remove, key, value })];
  else if (remove) members.splice(at, 1);
  else members[at] = [key ?? name, value];
  return Object.fromEntries(members);
}

/** Read by class-transformer, as it is no PlainDto, and by class-validator, as it has a team's rule, which accepts everything. */
class ByLibraries extends Everything {}
Allow()(ByLibraries.prototype, 'text');

/** Read by class-transformer only. */
class ByTransformer extends Everything {
  @Text({ ...LABELS, optional: true })
  override text?: string = 'x';
}

/** The registry reports fields of a parent class first, class-validator last; so only the number is compared if not all are reported. */
const comparable = (dto: DtoClass, { fields, faults }: FieldsRead): unknown => ({
  faults: faults.length < 20 ? faults.toSorted((one, other) => (one.name < other.name ? -1 : 1)) : 20,
  text: faults.length > 0 ? undefined : printFields(dto, fields),
});

it.each([basic, claimRights, compound])('$name needs neither class-transformer nor class-validator', ({ dto }) => {
  expect(prepare(dto)).toMatchObject({ isPlain: true, hasOnlyOurRules: true });
});

describe('every kind of field', () => {
  it('is read without the libraries, unless it has their decorators', () => {
    expect(prepare(Everything)).toMatchObject({ isPlain: true, hasOnlyOurRules: true });
    expect(prepare(ByTransformer)).toMatchObject({ isPlain: false, hasOnlyOurRules: true });
    expect(prepare(ByLibraries)).toMatchObject({ isPlain: false, hasOnlyOurRules: false });
    const { fields, faults } = readFields(Everything, SOUND);
    expect(faults).toEqual([]);
    expect(fields).toBeInstanceOf(Everything);
    expect(fields).toMatchObject(SOUND);
  });

  it.each([ByTransformer, ByLibraries])('is read as the libraries read it, valid or not: %p', (dto) => {
    fc.assert(
      fc.property(fc.array(anEdit, { maxLength: 3 }), (edits) => {
        const data = edits.reduce(edited, SOUND);
        expect(comparable(Everything, readFields(Everything, data))).toStrictEqual(
          comparable(dto, readFields(dto, data)),
        );
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

it('members that the caller reads itself are skipped, in the root only', () => {
  const others = new Set(['status']);
  expect(readFields(Everything, { ...SOUND, status: [] }, others)).toEqual(readFields(Everything, SOUND));
  for (const dto of [Everything, ByLibraries]) {
    const { faults } = readFields(dto, { ...SOUND, x: 1, status: [], loose: { status: 1 } }, others);
    expect(faults.map((fault) => fault.name)).toEqual(['loose.status', 'x']);
  }
});

/** A custom constraint that reads the whole object. */
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

describe('decorators that a team adds keep working', () => {
  it.each<[string, DtoClass, JsonObject, unknown]>([
    ['a rule that sees the whole object', Pair, { short: 'ab', long: 'a' }, ['long']],
    ['a required field that is made optional', Lenient, {}, '{}'],
    ['a conversion', Converted, { value: 5 }, '{"value":"5"}'],
    ['another name', Renamed, { alias: 'x' }, '{"text":"x"}'],
    ['an excluded field', Hidden, { text: 'x' }, '{"text":"default"}'],
    ['a nested object that is faulty by default', Filled, {}, ['inner.name']],
    ['a rule on a field of a parent class', Narrowed, { text: 'xyz', inner: { name: 'x' } }, ['text']],
  ])('%s', (_name, dto, data, expected) => {
    expect(outcome(dto, data)).toEqual(expected);
  });
});
