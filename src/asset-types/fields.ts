import 'reflect-metadata';
import { Type } from 'class-transformer';
import { isISO4217CurrencyCode, ValidateBy, ValidateNested, type ValidationArguments } from 'class-validator';

/*
 * The vocabulary in which an asset type describes its fields. Each decorator tells class-validator what a value must be and
 * remembers the field, so that unknown fields are refused and a value is printed the same way everywhere.
 */

export type DtoClass = new () => object;

/** What is known of one field of a DTO. */
export interface Field {
  optional: boolean;
  /** The DTO of a nested object. */
  nested?: () => DtoClass;
  /** A number printed with at least one decimal: 100 as `100.0`. */
  decimal?: boolean;
}

/** A field with its rule: what class-validator is told, and what may be asked without it. */
export interface RuledField extends Field {
  /** What is wrong with a value, or with its absence, as a sentence; undefined for a sound one. What is in a nested object is not looked at. */
  faultOf: (value: unknown) => string | undefined;
}

interface FieldOptions {
  optional?: boolean;
}

const FIELDS = Symbol('asset-type fields');
const MOST_CODE_POINTS = 2_000;
const MOST_IN_DESCRIPTION = 50_000;
const MOST_IN_NUMBER = 1e15;
// oxlint-disable-next-line no-control-regex -- the control characters that a text may not hold are the point here
const CONTROL_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** The fields of a DTO by name, those of its parent classes first, in the order in which they are declared. */
export function fieldsOf(dto: DtoClass): ReadonlyMap<string, RuledField> {
  return (Reflect.getMetadata(FIELDS, dto.prototype as object) as Map<string, RuledField> | undefined) ?? new Map();
}

function remember(prototype: object, name: string, field: RuledField): void {
  const inherited = (Reflect.getMetadata(FIELDS, prototype) as Map<string, RuledField> | undefined) ?? [];
  Reflect.defineMetadata(FIELDS, new Map([...inherited, [name, field]]), prototype);
}

/**
 * A field of one value, or a list of values; never an object. Teams make their own kinds with it.
 * @param faultOf what is wrong with a present value, as a sentence, or undefined
 */
export function ValueField(faultOf: (value: unknown) => string | undefined, field: Field): PropertyDecorator {
  return ruled({ ...field, faultOf: ruleOf(faultOf, field) });
}

function ruleOf(faultOf: RuledField['faultOf'], { optional }: Field): RuledField['faultOf'] {
  return (value) => {
    if (value === undefined) return optional ? undefined : 'This field is required';
    return value === null ? 'This field may not be null' : faultOf(value);
  };
}

/** Remembers the field and tells class-validator its rule. The context tells this rule from those that a team adds (prepared-dto.ts). */
function ruled(field: RuledField): PropertyDecorator {
  const validator = {
    validate: (value: unknown) => field.faultOf(value) === undefined,
    defaultMessage: (args?: ValidationArguments) => field.faultOf(args?.value) ?? '',
  };
  const validate = ValidateBy({ name: 'value', validator }, { context: field });
  return (prototype, name) => {
    remember(prototype, String(name), field);
    validate(prototype, name);
  };
}

/** A string of up to 2,000 code points; a required one is not empty. */
export const Text = ({ optional = false }: FieldOptions = {}): PropertyDecorator =>
  ValueField((value) => textFault(value, MOST_CODE_POINTS, optional), { optional });

/** An optional string of up to 50,000 code points. */
export const Description = ({ optional = true }: FieldOptions = {}): PropertyDecorator =>
  ValueField((value) => textFault(value, MOST_IN_DESCRIPTION, optional), { optional });

/** A required ISO 4217 code in capital letters. */
export const Currency = (): PropertyDecorator =>
  ValueField(
    (value) =>
      isISO4217CurrencyCode(value) && value === String(value).toUpperCase()
        ? undefined
        : 'An ISO 4217 code is required',
    { optional: false },
  );

/** A required number from 0, printed as it came: `5`. */
export const Quantity = (): PropertyDecorator => ValueField(numberFault, { optional: false });

/** A required number from 0, printed as a decimal: `100.0`. */
export const Amount = (): PropertyDecorator => ValueField(numberFault, { optional: false, decimal: true });

/** A boolean; what it is when omitted is said by the property's initialiser. */
export const Flag = (): PropertyDecorator =>
  ValueField((value) => (typeof value === 'boolean' ? undefined : 'true or false is required'), { optional: true });

/** An absolute http or https URL. */
export const WebUrl = ({ optional = false }: FieldOptions = {}): PropertyDecorator =>
  ValueField((value) => textFault(value, MOST_CODE_POINTS, false) ?? urlFault(value as string), { optional });

/** An object with the fields of another DTO. */
export function Nested(nested: () => DtoClass, { optional = false }: FieldOptions = {}): PropertyDecorator {
  const field = { optional, nested, faultOf: ruleOf(() => undefined, { optional }) };
  const type = Type(nested);
  const validate = ValidateNested({ context: field });
  const value = ruled(field);
  return (prototype, name) => {
    type(prototype, name);
    validate(prototype, name);
    value(prototype, name);
  };
}

function textFault(value: unknown, most: number, mayBeEmpty: boolean): string | undefined {
  if (typeof value !== 'string') return 'A string is required';
  if (value === '' && !mayBeEmpty) return 'This field may not be empty';
  // Every code point is one or two units, so most texts need no count.
  if (value.length > most && (value.length > 2 * most || Array.from(value).length > most))
    return `At most ${most} characters are kept`;
  if (!value.isWellFormed()) return 'The string has half of a surrogate pair';
  if (CONTROL_CHARACTER.test(value)) return 'Of the control characters only tab and line breaks may be used';
  return undefined;
}

function numberFault(value: unknown): string | undefined {
  if (typeof value !== 'number') return 'A number is required';
  if (Number.isNaN(value))
    return 'Up to 15 significant digits, 9 decimals and 10^15 are kept exactly; this number is not';
  return value >= 0 && value <= MOST_IN_NUMBER ? undefined : 'A number from 0 to 10^15 is required';
}

function urlFault(text: string): string | undefined {
  return /^https?:\/\/[^\s/?#]/i.test(text) && !/\s/.test(text) && URL.canParse(text)
    ? undefined
    : 'An absolute http or https URL is required';
}
