import type { DtoClass, Field } from './fields.js';
import { prepare } from './prepared-dto.js';

// oxlint-disable-next-line no-control-regex -- control characters are among what JSON escapes
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** The JSON text of a DTO's instance: its fields in their declared order, absent ones left out. */
export function printFields(dto: DtoClass, instance: object): string {
  let members = '';
  for (const field of prepare(dto).fields) {
    const value = (instance as Record<string, unknown>)[field.name];
    if (value === undefined) continue;
    if (members !== '') members += ',';
    members += field.label + printValue(field, value);
  }
  return `{${members}}`;
}

function printValue(field: Field, value: unknown): string {
  if (field.nested !== undefined) {
    const dto = field.nested();
    if (field.list) return `[${(value as object[]).map((item) => printFields(dto, item)).join(',')}]`;
    return printFields(dto, value as object);
  }
  if (typeof value === 'string') return quote(value);
  return typeof value === 'number' ? printNumber(field, value) : JSON.stringify(value);
}

/** A number of a field, as the contract has it: `100.0` for an amount, `5` for a quantity. */
export function printNumber({ decimal }: Pick<Field, 'decimal'>, value: number): string {
  const text = printDecimal(value);
  return decimal && !text.includes('.') ? `${text}.0` : text;
}

/** As JSON.stringify, which takes several times as long for the short texts that assets are made of. */
function quote(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** The shortest plain decimal of a number of at most 10^15 with up to 9 decimals: 5, 0.1, 0.0000001; never an exponent. */
export function printDecimal(value: number): string {
  if (value === 0) return '0';
  const text = String(value);
  return text.includes('e') ? value.toFixed(9).replace(/0+$/, '') : text;
}
