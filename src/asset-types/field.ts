import 'reflect-metadata';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import type { Labels } from './labels.js';

/*
 * What the registry knows of one field of a DTO. The decorators of fields.ts make it; validation, printing, the OpenAPI document and the pages
 * are made from it.
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
  /** The field holds a list of nested objects, each with an `id` of its own (item.ts). */
  list?: true;
  /** A number printed with at least one decimal: 100 as `100.0`. */
  decimal?: true;
  /** What people read in the place of a value, where only these values may stand. */
  choices?: Readonly<Record<string, Labels>>;
}

/** A field with its rule: what class-validator is told, and what may be asked without it. */
export interface RuledField extends Field {
  /** What is wrong with a value, or with its absence, as a sentence; undefined for a sound one. What is in a nested object is not looked at. */
  faultOf: (value: unknown) => string | undefined;
}

/** What class-validator calls the rule of a field's kind, among those that a team puts beside it. */
export const RULE_OF_KIND = 'value';

const FIELDS = Symbol('asset-type fields');

/** The fields of a DTO by name, those of its parent classes first, in the order in which they are declared. */
export function fieldsOf(dto: DtoClass): ReadonlyMap<string, RuledField> {
  return (Reflect.getMetadata(FIELDS, dto.prototype as object) as Map<string, RuledField> | undefined) ?? new Map();
}

function remember(prototype: object, name: string, field: RuledField): void {
  const inherited = (Reflect.getMetadata(FIELDS, prototype) as Map<string, RuledField> | undefined) ?? [];
  Reflect.defineMetadata(FIELDS, new Map([...inherited, [name, field]]), prototype);
}

/** @param faultOf what is wrong with a present value, as a sentence, or undefined */
export function withRule(field: Field, faultOf: RuledField['faultOf']): RuledField {
  return {
    ...field,
    faultOf: (value) => {
      if (value === undefined) return field.optional ? undefined : 'This field is required';
      return value === null ? 'This field may not be null' : faultOf(value);
    },
  };
}

/** Remembers the field and tells class-validator its rule. The context tells this rule from those that a team adds (prepared-dto.ts). */
export function describeField(field: RuledField): PropertyDecorator {
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
