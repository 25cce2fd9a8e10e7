import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { type DtoClass, RULE_OF_KIND } from './field.js';
import { prepare, type PreparedField } from './prepared-dto.js';
import { MOST_ITEMS } from './rules.js';

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
const ENOUGH_FAULTS = 20;
const NONE: ReadonlySet<string> = new Set();

type JsonObject = Record<string, unknown>;

/**
 * Reads `data` as the fields of `dto` and reports every faulty one. Most data is sound, and most DTOs are described by the words of
 * fields.ts alone: then one walk says so. Whatever the walk does not find sound is read by class-transformer and class-validator.
 * @param others members that stand beside the type's own and are somebody else's to read
 */
export function readFields(dto: DtoClass, data: JsonObject, others: ReadonlySet<string> = NONE): FieldsRead {
  const sound = readSound(dto, data, others);
  return sound === undefined ? readByDecorators(dto, data, others) : { fields: sound, faults: [] };
}

/**
 * The way that knows every decorator and names every fault: class-transformer, then class-validator.
 *
 * class-validator alone lets pass what is no plain object where one is expected, and loses keys such as `constructor`;
 * so the shape is looked at first, and only known members of plain objects ever reach class-transformer.
 */
export function readByDecorators(dto: DtoClass, data: JsonObject, others: ReadonlySet<string> = NONE): FieldsRead {
  const faults: FieldFault[] = [];
  const known = knownMembers(dto, data, others, '', faults);
  const fields = plainToInstance(dto, known);
  collect(validateSync(fields, { forbidUnknownValues: true }), '', faults);
  return { fields, faults };
}

/** The same instance for data without a fault; undefined for data that has one, and for what only the decorators can tell. */
function readSound(dto: DtoClass, data: JsonObject, others: ReadonlySet<string>): object | undefined {
  const { fields, byName, isPlain } = prepare(dto);
  if (!isPlain) return undefined;
  const instance = new dto() as JsonObject;
  for (const name of Object.keys(data)) {
    const value = data[name];
    const field = byName.get(name);
    if (field === undefined) {
      if (!others.has(name)) return undefined;
    } else if (field.nested === undefined) {
      if (holdsObject(value)) return undefined;
      instance[name] = value;
    } else {
      const nested = readSoundNested(field, value);
      if (nested === undefined) return undefined;
      instance[name] = nested;
    }
  }
  return fields.every(({ name, faultOf }) => faultOf(instance[name]) === undefined) ? instance : undefined;
}

function readSoundNested(field: PreparedField, value: unknown): object | undefined {
  const dto = (field.nested as () => DtoClass)();
  if (!field.list) return isObject(value) ? readSound(dto, value, NONE) : undefined;
  if (!Array.isArray(value)) return undefined;
  const items: object[] = [];
  for (const one of value) {
    const item = isObject(one) ? readSound(dto, one, NONE) : undefined;
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
}

/** A copy of `data` with the members that `dto` knows; what is unknown, or no object where one is due, goes to `faults`. */
function knownMembers(
  dto: DtoClass,
  data: JsonObject,
  others: ReadonlySet<string>,
  path: string,
  faults: FieldFault[],
): object {
  const { byName } = prepare(dto);
  const known: JsonObject = {};
  for (const key of Object.keys(data)) {
    if (faults.length >= ENOUGH_FAULTS) break;
    const value = data[key];
    const field = byName.get(key);
    if (field === undefined) {
      if (!others.has(key)) faults.push({ name: path + (key || '""'), description: 'Rogue field' });
    } else if (value === null || (field.nested === undefined && !holdsObject(value))) {
      known[key] = value;
    } else if (field.nested === undefined) {
      faults.push({ name: path + key, description: 'No object may stand here' });
    } else {
      known[key] = knownNested(field, value, path + key, faults);
    }
  }
  return known;
}

/** As `knownMembers`, of what stands where an object or a list of objects is due; nothing of what is neither. */
function knownNested(field: PreparedField, value: unknown, path: string, faults: FieldFault[]): unknown {
  const dto = (field.nested as () => DtoClass)();
  if (field.list && Array.isArray(value)) {
    if (value.length <= MOST_ITEMS)
      return itemsToTellOf(dto, value).map((item, i) =>
        knownNested({ ...field, list: undefined }, item, `${path}.${i}`, faults),
      );
    faults.push({ name: path, description: `At most ${MOST_ITEMS} are kept` });
    return undefined;
  }
  if (!field.list && isObject(value)) return knownMembers(dto, value, NONE, `${path}.`, faults);
  faults.push({ name: path, description: field.list ? 'A list is required' : 'An object is required' });
  return undefined;
}

/** The items up to as many faulty ones as anybody is told of: class-validator takes its time over each. */
function itemsToTellOf(dto: DtoClass, items: readonly unknown[]): readonly unknown[] {
  if (!prepare(dto).isPlain) return items;
  let faulty = 0;
  const last = items.findIndex((item) => !(isObject(item) && readSound(dto, item, NONE)) && ++faulty === ENOUGH_FAULTS);
  return last < 0 ? items : items.slice(0, last + 1);
}

/** class-transformer would make the object anew, with a member `constructor` that a client sent. */
function holdsObject(value: unknown): boolean {
  return Array.isArray(value) ? value.some(holdsObject) : isObject(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Flattens class-validator's tree; a field that is known to be faulty already is not named again, and its kind has the first word. */
function collect(errors: ValidationError[], path: string, faults: FieldFault[]): void {
  for (const error of errors) {
    if (faults.length >= ENOUGH_FAULTS) return;
    const name = path + error.property;
    const { [RULE_OF_KIND]: ofKind, ...others } = error.constraints ?? {};
    const description = ofKind ?? Object.values(others)[0];
    if (description !== undefined && !faults.some((fault) => fault.name === name)) faults.push({ name, description });
    collect(error.children ?? [], `${name}.`, faults);
  }
}
