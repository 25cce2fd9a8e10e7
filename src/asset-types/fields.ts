import 'reflect-metadata';
import { Type } from 'class-transformer';
import { ValidateBy, ValidateNested, type ValidationArguments } from 'class-validator';
import type { Labels } from './labels.js';
import {
  anyValue,
  choiceRule,
  currencyFault,
  dateTimeFault,
  dayFault,
  flagFault,
  itemIdFault,
  itemsRule,
  MAX_YEAR,
  MAX_TEXT_CODE_POINTS,
  MAX_LONG_TEXT_CODE_POINTS,
  MAX_NUMBER,
  MAX_ITEMS,
  MAX_TEXTS,
  numberFault,
  type Rule,
  ruleOfField,
  textRule,
  textsRule,
  urlFault,
  yearFault,
} from './rules.js';

/*
 * The vocabulary in which an asset type describes its fields, with a label in each language. Each decorator tells class-validator what a
 * value must be and remembers the field; reading, printing, the OpenAPI document and the pages are made from what it remembers.
 */

/** A class whose properties are described with the decorators of fields.ts. */
export type DtoClass<Dto extends object = object> = new () => Dto;

/** What OpenAPI says of a value: a JSON Schema of draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Field {
  labels: Labels;
  optional: boolean;
  /** What a value looks like; what is in nested objects is said by their own DTO. */
  schema: JsonSchema;
  /** The DTO of a nested object, or of each member of a list. */
  nested?: () => DtoClass;
  /** The field holds a list of nested objects, each with an `id` of its own (`Item`). */
  list?: true;
  /** A number printed with at least one decimal: 100 as `100.0`. */
  decimal?: true;
  /** A number that people read without a space between its thousands: a year, a number of a house. */
  ungrouped?: true;
  /** Texts that the search finds the asset by; titles and descriptions always are. */
  searchable?: boolean;
  /** What people read in the place of a value, where only these values may stand. */
  choices?: Readonly<Record<string, Labels>>;
}

/** A field with its rule: what class-validator is told, and what may be asked without it. */
export interface RuledField extends Field {
  /** What is wrong with a value, or with its absence, as a sentence; undefined for a sound one. What is in a nested object is not looked at. */
  faultOf: Rule;
}

/** What class-validator calls the rule of a field's kind, among those that a team puts beside it. */
export const RULE_OF_KIND = 'value';

/** 32 lower-case hex characters: of an asset or an item. */
export const ID_SCHEMA = { type: 'string', pattern: '^[0-9a-f]{32}$' } as const satisfies JsonSchema;

const FIELDS = Symbol('asset-type fields');

/** The fields of a DTO by name, those of its parent classes first, in the order in which they are declared. */
export function fieldsOf(dto: DtoClass): ReadonlyMap<string, RuledField> {
  return (Reflect.getMetadata(FIELDS, dto.prototype as object) as Map<string, RuledField> | undefined) ?? new Map();
}

function remember(prototype: object, name: string, field: RuledField): void {
  const inherited = (Reflect.getMetadata(FIELDS, prototype) as Map<string, RuledField> | undefined) ?? [];
  Reflect.defineMetadata(FIELDS, new Map([...inherited, [name, field]]), prototype);
}

/** Remembers the field and tells class-validator its rule. The context tells this rule from those that a team adds (prepared-dto.ts). */
function describeField(field: RuledField): PropertyDecorator {
  const validator = {
    validate: (value: unknown) => field.faultOf(value) === undefined,
    defaultMessage: (args?: ValidationArguments) => field.faultOf(args?.value) ?? '',
  };
  const validate = ValidateBy({ name: RULE_OF_KIND, validator }, { context: field });
  return (prototype, name) => {
    remember(prototype, String(name), field);
    validate(prototype, name);
  };
}

/** The labels of a field, and whether it may be left out; a field is required unless its kind says otherwise. */
export type FieldOptions = Labels & Pick<Field, 'searchable'> & { optional?: boolean };

const NUMBER = { type: 'number', minimum: 0, maximum: MAX_NUMBER };

/** What a kind of a team's own says beside its labels. */
export type ValueFieldOptions = FieldOptions & Pick<Field, 'schema' | 'decimal' | 'ungrouped' | 'choices'>;

/**
 * A field of one value, or a list of values; never an object. Teams make their own kinds with it.
 * @param faultOf what is wrong with a present value, as a sentence, or undefined
 */
export function ValueField(faultOf: Rule, options: ValueFieldOptions): PropertyDecorator {
  const { uk, en, optional = false, ...described } = options;
  return describeField({ ...described, labels: { uk, en }, optional, faultOf: ruleOfField(optional, faultOf) });
}

/** A string of up to 2,000 code points; a required one is not empty. */
export const Text = (options: FieldOptions): PropertyDecorator => text(options, MAX_TEXT_CODE_POINTS);

/** A string of up to 50,000 code points; a required one is not empty. */
export const LongText = (options: FieldOptions): PropertyDecorator => text(options, MAX_LONG_TEXT_CODE_POINTS);

function text(options: FieldOptions, max: number): PropertyDecorator {
  const { optional = false } = options;
  const schema = { type: 'string', ...(optional ? {} : { minLength: 1 }), maxLength: max };
  return ValueField(textRule(max, optional), { ...options, schema });
}

/** An ISO 4217 code in capital letters. */
export const Currency = (options: FieldOptions): PropertyDecorator =>
  ValueField(currencyFault, { ...options, schema: { type: 'string', pattern: '^[A-Z]{3}$' } });

/** A number from 0, printed as it came: `5`. */
export const Quantity = (options: FieldOptions): PropertyDecorator =>
  ValueField(numberFault, { ...options, schema: NUMBER });

/** A number from 0, printed as a decimal: `100.0`. */
export const Amount = (options: FieldOptions): PropertyDecorator =>
  ValueField(numberFault, { ...options, schema: NUMBER, decimal: true });

/** A year from 1 to 9999: `1999`, which nobody reads as 1,999. */
export const Year = (options: FieldOptions): PropertyDecorator =>
  ValueField(yearFault, { ...options, schema: { type: 'integer', minimum: 1, maximum: MAX_YEAR }, ungrouped: true });

/** A boolean, never required; what it is when omitted is said by the property's initialiser. */
export const Flag = (labels: Labels): PropertyDecorator =>
  ValueField(flagFault, { ...labels, optional: true, schema: { type: 'boolean' } });

/** An absolute http or https URL. It may have letters of any alphabet, which a `uri` of JSON Schema has not. */
export const WebUrl = (options: FieldOptions): PropertyDecorator =>
  ValueField(urlFault, { ...options, schema: { type: 'string', format: 'iri', maxLength: MAX_TEXT_CODE_POINTS } });

/** A date and time with an offset as in RFC 3339, `2017-08-16T18:36:13+03:00`; it comes back as it was sent. */
export const DateTime = (options: FieldOptions): PropertyDecorator =>
  ValueField(dateTimeFault, { ...options, schema: { type: 'string', format: 'date-time' } });

/** A day of the calendar, `2017-08-16`; it comes back as it was sent. */
export const Day = (options: FieldOptions): PropertyDecorator =>
  ValueField(dayFault, { ...options, schema: { type: 'string', format: 'date' } });

/** A list of up to 100 strings, each as `Text` takes it and none empty; a required one has one. A PATCH replaces the list. */
export function Texts(options: FieldOptions): PropertyDecorator {
  const { optional = false } = options;
  const items = { type: 'string', minLength: 1, maxLength: MAX_TEXT_CODE_POINTS };
  const schema = { type: 'array', items, ...(optional ? {} : { minItems: 1 }), maxItems: MAX_TEXTS };
  return ValueField(textsRule(optional), { ...options, schema });
}

/** One of the strings that `choices` names, each with its labels. */
export function Choice(choices: Readonly<Record<string, Labels>>, options: FieldOptions): PropertyDecorator {
  const values = Object.keys(choices);
  return ValueField(choiceRule(values), { ...options, schema: { type: 'string', enum: values }, choices });
}

/** An object with the fields of another DTO. */
export const Nested = (nested: () => DtoClass, options: FieldOptions): PropertyDecorator =>
  nestedField({ ...fieldFrom(options, {}), nested }, anyValue);

/**
 * A list of objects with the fields of a DTO that extends Item. Each has an id, by which a PATCH merges it.
 * @param atLeast fewest that may be there
 */
export const Items = (nested: () => DtoClass, options: FieldOptions & { atLeast?: number }): PropertyDecorator => {
  const { atLeast = 0 } = options;
  const schema = { type: 'array', minItems: atLeast, maxItems: MAX_ITEMS };
  return nestedField({ ...fieldFrom(options, schema), nested, list: true }, itemsRule(atLeast));
};

/** The id of an item: 32 lower-case hex characters. The registry gives one where the broker does not. */
export const ItemId = (labels: Labels): PropertyDecorator =>
  ValueField(itemIdFault, { ...labels, optional: true, schema: ID_SCHEMA });

function nestedField(field: Field & Required<Pick<Field, 'nested'>>, faultOf: Rule): PropertyDecorator {
  const ruled = { ...field, faultOf: ruleOfField(field.optional, faultOf) };
  const type = Type(field.nested);
  const validate = ValidateNested({ context: ruled });
  const value = describeField(ruled);
  return (prototype, name) => {
    type(prototype, name);
    validate(prototype, name);
    value(prototype, name);
  };
}

function fieldFrom({ uk, en, optional = false }: FieldOptions, schema: Field['schema']): Field {
  return { labels: { uk, en }, optional, schema };
}
