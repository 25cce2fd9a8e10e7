import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { type DtoClass, RULE_OF_KIND, type Field } from './fields.js';
import { nearestName } from './nearest-name.js';
import { prepare, type PreparedField } from './prepared-dto.js';
import { MAX_ITEMS } from './rules.js';
import { SET_BY_REQUESTS } from './service-fields.js';

/*
 * Reads the fields of a DTO from JSON, with every fault, and prints them.
 */

/** A faulty field: its path from the asset's root, and a sentence. */
export interface FieldFault {
  name: string;
  description: string;
}

/** An instance of the DTO, valid only if there are no faults. */
export interface FieldsRead {
  fields: object;
  faults: FieldFault[];
}

/** Bounds the answer, and the time spent on a hostile body. */
const MAX_FAULTS = 20;
const NONE: ReadonlySet<string> = new Set();

type JsonObject = Record<string, unknown>;

/** Whether a required field may be missing. @param name its path from the asset's root, with dots */
export type MayOmit = (name: string) => boolean;

interface RuleCheck {
  faults: FieldFault[];
  mayOmit: MayOmit;
}

interface Reading {
  faults: FieldFault[];
  /** Makes the object that receives the members. */
  begin: (dto: DtoClass) => object;
}

/**
 * Reads `data` as the fields of `dto` and reports every fault: first unknown fields and wrong structure, then values that a field's rule
 * refuses. If the DTO has decorators other than the registry's, class-transformer makes the instance and class-validator applies the rules.
 * @param others known members that the caller reads itself
 * @param mayOmit required fields that may be missing
 */
export function readFields(
  dto: DtoClass,
  data: JsonObject,
  others: ReadonlySet<string> = NONE,
  mayOmit: MayOmit = () => false,
): FieldsRead {
  const { isPlain, hasOnlyOurRules } = prepare(dto);
  const reading: Reading = { faults: [], begin: isPlain ? (one) => new one() : () => ({}) };
  const members = knownMembers(dto, data, others, '', reading);
  // class-transformer loses keys such as `constructor` and takes lists for objects, so it gets known members of plain objects only.
  const fields = isPlain ? members : plainToInstance(dto, members);
  const check: RuleCheck = { faults: reading.faults, mayOmit };
  if (hasOnlyOurRules) applyRules(dto, fields, '', check);
  else collect(validateSync(fields, { forbidUnknownValues: true }), '', check);
  return { fields, faults: reading.faults };
}

/** Copies the members of `data` that `dto` has; reports unknown members, and values that should be objects. */
function knownMembers(
  dto: DtoClass,
  data: JsonObject,
  others: ReadonlySet<string>,
  path: string,
  reading: Reading,
): object {
  const { byName } = prepare(dto);
  const { faults } = reading;
  const known = reading.begin(dto) as JsonObject;
  for (const key of Object.keys(data)) {
    if (faults.length >= MAX_FAULTS) break;
    const value = data[key];
    const field = byName.get(key);
    if (field === undefined) {
      if (!others.has(key)) faults.push({ name: path + (key || '""'), description: rogueField(key, byName, others) });
    } else if (value === null || (field.nested === undefined && !containsObject(value))) {
      known[key] = value;
    } else if (field.nested === undefined) {
      faults.push({ name: path + key, description: 'No object may stand here' });
    } else {
      known[key] = knownNested(field, value, path + key, reading);
    }
  }
  return known;
}

/** Returns all known names in `data`, and of the unknown ones, which may be very many, as many as are reported. */
export function namesToRead(data: JsonObject, isKnown: (name: string) => boolean): string[] {
  let others = 0;
  return Object.keys(data).filter((name) => isKnown(name) || ++others <= MAX_FAULTS);
}

/** Does not suggest members that only the service sets. */
function rogueField(key: string, own: ReadonlyMap<string, unknown>, others: ReadonlySet<string>): string {
  const nearest = nearestName(key, [...own.keys(), ...[...others].filter((name) => SET_BY_REQUESTS.has(name))]);
  return nearest === undefined ? 'Rogue field' : `Rogue field: did you mean ${nearest}?`;
}

/** As `knownMembers`, for an object or a list of objects. @returns undefined for other values */
function knownNested(field: PreparedField, value: unknown, path: string, reading: Reading): unknown {
  const dto = (field.nested as () => DtoClass)();
  if (!field.list) return knownObject(dto, value, path, reading);
  if (!Array.isArray(value)) reading.faults.push({ name: path, description: 'A list is required' });
  else if (value.length > MAX_ITEMS) reading.faults.push({ name: path, description: `At most ${MAX_ITEMS} are kept` });
  else return value.map((item, i) => knownObject(dto, item, `${path}.${i}`, reading));
  return undefined;
}

function knownObject(dto: DtoClass, value: unknown, path: string, reading: Reading): object | undefined {
  if (isObject(value)) return knownMembers(dto, value, NONE, `${path}.`, reading);
  reading.faults.push({ name: path, description: 'An object is required' });
  return undefined;
}

/** Applies the rules of all fields, nested ones too; reports each field once. */
function applyRules(dto: DtoClass, instance: object, path: string, check: RuleCheck): void {
  const { faults, mayOmit } = check;
  for (const field of prepare(dto).fields) {
    if (faults.length >= MAX_FAULTS) return;
    const value = (instance as JsonObject)[field.name];
    if (value === undefined && mayOmit(path + field.name)) continue;
    const description = field.faultOf(value);
    if (description !== undefined) addFault(path + field.name, description, faults);
    if (field.nested === undefined || value === undefined || value === null) continue;
    const nested = field.nested();
    const name = path + field.name;
    if (!isObject(value) && !Array.isArray(value)) addFault(name, 'An object is required', faults);
    else if (!Array.isArray(value)) applyRules(nested, value, `${name}.`, check);
    else for (const [i, item] of value.entries()) if (item) applyRules(nested, item as object, `${name}.${i}.`, check);
  }
}

function addFault(name: string, description: string, faults: FieldFault[]): void {
  if (!faults.some((fault) => fault.name === name)) faults.push({ name, description });
}

/** class-transformer would construct such an object by a client's member `constructor`. */
function containsObject(value: unknown): boolean {
  return Array.isArray(value) ? value.some(containsObject) : isObject(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Flattens class-validator's tree; the rule of a field's kind takes precedence. */
function collect(errors: ValidationError[], path: string, check: RuleCheck): void {
  const { faults, mayOmit } = check;
  for (const error of errors) {
    if (faults.length >= MAX_FAULTS) return;
    const name = path + error.property;
    if (error.value === undefined && mayOmit(name)) continue;
    const { [RULE_OF_KIND]: kindFault, ...others } = error.constraints ?? {};
    const description = kindFault ?? Object.values(others)[0];
    if (description !== undefined) addFault(name, description, faults);
    collect(error.children ?? [], `${name}.`, check);
  }
}

/** Gives ids to items at any depth that have none. @returns a copy, if the DTO has items */
export function withItemIds(dto: DtoClass, instance: object, newId: () => string): object {
  const { fields, hasItems } = prepare(dto);
  if (!hasItems) return instance;
  const copy: JsonObject = { ...instance };
  for (const { name, nested, list } of fields) {
    const value = copy[name];
    if (nested === undefined || value === undefined) continue;
    const give = (one: object): object => withItemIds(nested(), one, newId);
    copy[name] = list
      ? (value as { id?: string }[]).map((item) => ({ ...give(item), id: item.id ?? newId() }))
      : give(value as object);
  }
  return copy;
}

// oxlint-disable-next-line no-control-regex -- control characters are among what JSON escapes
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Prints a DTO's instance as JSON: fields in declared order, absent ones left out. */
export function printFields(dto: DtoClass, instance: object): string {
  let members = '';
  for (const field of prepare(dto).fields) {
    const value = (instance as JsonObject)[field.name];
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

/** Prints a number as the contract requires: `100.0` for an amount, `5` for a quantity. */
export function printNumber({ decimal }: Pick<Field, 'decimal'>, value: number): string {
  const text = printDecimal(value);
  return decimal && !text.includes('.') ? `${text}.0` : text;
}

/** Several times as fast as JSON.stringify for short texts. */
function quote(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Prints the shortest decimal of a number up to 10^15 with up to 9 decimals, without exponent: 5, 0.1, 0.0000001. */
export function printDecimal(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  // A team's code may compute a number below the smallest that is stored.
  const rounded = value.toFixed(9).replace(/\.?0+$/, '');
  return rounded === '-0' ? '0' : rounded;
}
