import { printDecimal } from './decimal.js';
import { type DtoClass, type Field, fieldsOf } from './fields.js';

/** The JSON text of a DTO's instance: its fields in their declared order, absent ones left out. */
export function printFields(dto: DtoClass, instance: object): string {
  const members: string[] = [];
  for (const [name, field] of fieldsOf(dto)) {
    const value = (instance as Record<string, unknown>)[name];
    if (value !== undefined) members.push(`${JSON.stringify(name)}:${printValue(field, value)}`);
  }
  return `{${members.join(',')}}`;
}

function printValue(field: Field, value: unknown): string {
  if (field.nested !== undefined) return printFields(field.nested(), value as object);
  if (typeof value !== 'number') return JSON.stringify(value);
  const text = printDecimal(value);
  return field.decimal && !text.includes('.') ? `${text}.0` : text;
}
