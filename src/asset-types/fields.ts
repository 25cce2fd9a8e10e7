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
 * The decorators with which an asset type describes its fields. Each registers a rule with class-validator and stores the field as metadata,
 * from which reading, printing, OpenAPI and the pages are derived.
 */

/** A class whose properties have the decorators of fields.ts. */
export type DtoClass<Dto extends object = object> = new () => Dto;

/** A JSON Schema of draft 2020-12. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface Field {
  labels: Labels;
  optional: boolean;
  /** The schema of a value, without the members of nested objects. */
  schema: JsonSchema;
  /** The DTO of a nested object, or of the members of a list. */
  nested?: () => DtoClass;
  /** A list of nested objects, each with an `id` (`Item`). */
  list?: true;
  /** A number printed with at least one decimal: 100 as `100.0`. */
  decimal?: true;
  /** A number shown without thousands separators, such as a year. */
  ungrouped?: true;
  /** The search indexes this text; it always indexes titles and descriptions. */
  searchable?: boolean;
  /** The only allowed values, with their labels. */
  choices?: Readonly<Record<string, Labels>>;
}

/** A field with its rule, which also works without class-validator. */
export interface RuledField extends Field {
  /** Returns a sentence for an invalid or missing value, undefined for a valid one. Members of nested objects are not checked. */
  faultOf: Rule;
}

/** Name of the registry's rule in class-validator, among those that a team adds. */
export const RULE_OF_KIND = 'value';

/** The id of an asset or item. */
export const ID_SCHEMA = { type: 'string', pattern: '^[0-9a-f]{32}$' } as const satisfies JsonSchema;

const FIELDS = Symbol('asset-type fields');

/** Returns the fields of a DTO by name in declared order, those of parent classes first. */
export function fieldsOf(dto: DtoClass): ReadonlyMap<string, RuledField> {
  return (Reflect.getMetadata(FIELDS, dto.prototype as object) as Map<string, RuledField> | undefined) ?? new Map();
}

function remember(prototype: object, name: string, field: RuledField): void {
  const inherited = (Reflect.getMetadata(FIELDS, prototype) as Map<string, RuledField> | undefined) ?? [];
  Reflect.defineMetadata(FIELDS, new Map([...inherited, [name, field]]), prototype);
}

/** Stores the field and registers its rule with class-validator. The context distinguishes it from a team's rules (prepared-dto.ts). */
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

/** A field is required unless it is `optional`. */
export type FieldOptions = Labels & Pick<Field, 'searchable'> & { optional?: boolean };

const NUMBER = { type: 'number', minimum: 0, maximum: MAX_NUMBER };

export type ValueFieldOptions = FieldOptions & Pick<Field, 'schema' | 'decimal' | 'ungrouped' | 'choices'>;

/**
 * A field of one value, or a list of values; never an object. Teams define their own kinds of fields with it.
 * @param faultOf returns a sentence for an invalid value, else undefined; not called for a missing one
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

/** A number from 0, printed as sent: `5`. */
export const Quantity = (options: FieldOptions): PropertyDecorator =>
  ValueField(numberFault, { ...options, schema: NUMBER });

/** A number from 0, printed as a decimal: `100.0`. */
export const Amount = (options: FieldOptions): PropertyDecorator =>
  ValueField(numberFault, { ...options, schema: NUMBER, decimal: true });

/** A year from 1 to 9999, shown without thousands separator. */
export const Year = (options: FieldOptions): PropertyDecorator =>
  ValueField(yearFault, { ...options, schema: { type: 'integer', minimum: 1, maximum: MAX_YEAR }, ungrouped: true });

/** An optional boolean; the property's initialiser is its default. */
export const Flag = (labels: Labels): PropertyDecorator =>
  ValueField(flagFault, { ...labels, optional: true, schema: { type: 'boolean' } });

/** An absolute http or https URL. Letters of any alphabet are allowed, unlike in JSON Schema's `uri`. */
export const WebUrl = (options: FieldOptions): PropertyDecorator =>
  ValueField(urlFault, { ...options, schema: { type: 'string', format: 'iri', maxLength: MAX_TEXT_CODE_POINTS } });

/** A date and time with an offset as in RFC 3339, `2017-08-16T18:36:13+03:00`, returned as sent. */
export const DateTime = (options: FieldOptions): PropertyDecorator =>
  ValueField(dateTimeFault, { ...options, schema: { type: 'string', format: 'date-time' } });

/** A calendar day, `2017-08-16`, returned as sent. */
export const Day = (options: FieldOptions): PropertyDecorator =>
  ValueField(dayFault, { ...options, schema: { type: 'string', format: 'date' } });

/** A list of up to 100 non-empty strings as in `Text`; a required list has at least one. A PATCH replaces the list. */
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

/** A list of objects with the fields of a DTO that extends Item. A PATCH merges them by id. */
export const Items = (nested: () => DtoClass, options: FieldOptions & { atLeast?: number }): PropertyDecorator => {
  const { atLeast = 0 } = options;
  const schema = { type: 'array', minItems: atLeast, maxItems: MAX_ITEMS };
  return nestedField({ ...fieldFrom(options, schema), nested, list: true }, itemsRule(atLeast));
};

/** The id of an item: 32 lower-case hex characters. The registry generates one if the broker sends none. */
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
