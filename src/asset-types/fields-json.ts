import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { type DtoClass, RULE_OF_KIND, type Field } from './fields.js';
import { nearestName } from './nearest-name.js';
import { prepare, type PreparedField } from './prepared-dto.js';
import { MAX_ITEMS } from './rules.js';
import { SET_BY_REQUESTS } from './service-fields.js';

/*
 * The fields of a DTO as JSON: how they are read, with every fault, and how they are printed.
 */

/** One faulty field: its path from the asset's root and a sentence. */
export interface FieldFault {
  name: string;
  description: string;
}

/** What came of reading: the DTO's instance, sound only where there are no faults. */
export interface FieldsRead {
  fields: object;
  faults: FieldFault[];
}

/** Beyond this many faults nobody reads on, and a hostile body is not worth the time. */
const MAX_FAULTS = 20;
const NONE: ReadonlySet<string> = new Set();

type JsonObject = Record<string, unknown>;

/** Whether a field may be missing although it is required. @param name its path from the asset's root, with dots */
export type MayOmit = (name: string) => boolean;

/** What rules find, and where they are not asked. */
interface RuleCheck {
  faults: FieldFault[];
  mayOmit: MayOmit;
}

/** One reading of one body: what it has found so far. */
interface Reading {
  faults: FieldFault[];
  /** What the members of an object are put into. */
  begin: (dto: DtoClass) => object;
}

/**
 * Reads `data` as the fields of `dto` and names every faulty one: first what no field may be, then what its field's rule refuses. Where the
 * DTO's team has put decorators beside the registry's, class-transformer makes the instance, and class-validator asks the rules.
 * @param others members that stand beside the type's own and are somebody else's to read
 * @param mayOmit required fields that may be missing all the same
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
  // It loses keys such as `constructor` and takes a list for an object, so only known members of plain objects reach it.
  const fields = isPlain ? members : plainToInstance(dto, members);
  const check: RuleCheck = { faults: reading.faults, mayOmit };
  if (hasOnlyOurRules) applyRules(dto, fields, '', check);
  else collect(validateSync(fields, { forbidUnknownValues: true }), '', check);
  return { fields, faults: reading.faults };
}

/** What `data` has of the members of `dto`; what is unknown, or no object where one is due, goes to the faults. */
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

/** Names of the members of `data` that are worth reading: all known ones, and of the others, which may be very many, those that are told. */
export function namesToRead(data: JsonObject, isKnown: (name: string) => boolean): string[] {
  let others = 0;
  return Object.keys(data).filter((name) => isKnown(name) || ++others <= MAX_FAULTS);
}

/** Nobody is led to a member that the service alone sets. */
function rogueField(key: string, own: ReadonlyMap<string, unknown>, others: ReadonlySet<string>): string {
  const nearest = nearestName(key, [...own.keys(), ...[...others].filter((name) => SET_BY_REQUESTS.has(name))]);
  return nearest === undefined ? 'Rogue field' : `Rogue field: did you mean ${nearest}?`;
}

/** As `knownMembers`, of what stands where an object or a list of objects is due; nothing of what is neither. */
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

/** Asks the rule of each field, and of those in it; a field that is known to be faulty already is not named again. */
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

/** class-transformer would make the object anew, with a member `constructor` that a client sent. */
function containsObject(value: unknown): boolean {
  return Array.isArray(value) ? value.some(containsObject) : isObject(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Flattens class-validator's tree; the kind of a field has the first word. */
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

/** A sound instance of `dto` in which every item, at any depth, has an id: a copy, where items need one. */
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

/** The JSON text of a DTO's instance: its fields in their declared order, absent ones left out. */
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
  const text = String(value);
  if (!text.includes('e')) return text;
  // A team's own code may make a number that is nearer to 0 than any that is kept.
  const rounded = value.toFixed(9).replace(/\.?0+$/, '');
  return rounded === '-0' ? '0' : rounded;
}
