import type { AssetType } from '../../asset-types/asset-type.js';
import { type DtoClass, fieldsOf, type RuledField } from '../../asset-types/fields.js';
import { printFields, readFields } from '../../asset-types/fields-json.js';
import { prepare } from '../../asset-types/prepared-dto.js';
import { isSame } from '../../feed/reading/asset-view.js';

/*
 * What is wrong with the fields of an asset type, tried by its example, each as the rest of a sentence that begins with its name.
 */

type JsonObject = Record<string, unknown>;
type Faults = Generator<string, void>;

/** An object of the example, with the keys that lead to it. */
interface Part {
  dto: DtoClass;
  keys: readonly string[];
  members: JsonObject;
}

/** A value of each kind that JSON has; no field of one value takes an object. */
const KINDS: Readonly<Record<string, unknown>> = { string: 'x', number: 5, boolean: true, array: [], object: {} };

export function* faultsOfFields({ dto, example }: AssetType): Faults {
  const { assetType: _, ...data } = example.data;
  yield* faultsOfPrint(dto, data);
  for (const part of partsOf(dto, data)) {
    const tryOne = (name: string, value: unknown): Faults =>
      faultOfTry(dto, data, { keys: [...part.keys, name], value });
    yield* tryOne('rogueMember', 1);
    for (const [name, field] of fieldsOf(part.dto)) {
      if (!field.optional) yield* tryOne(name, undefined);
      for (const value of [null, ...foreignValues(field)]) yield* tryOne(name, value);
    }
  }
}

/** What is stored must be read as the same by a later PATCH. */
function* faultsOfPrint(dto: DtoClass, data: JsonObject): Faults {
  const text = printFields(dto, readFields(dto, data).fields);
  if (!isSame(JSON.parse(text), data))
    yield `its example is not answered as it is written (give each Flag its value), but as ${text}`;
  const again = readFields(dto, JSON.parse(text) as JsonObject);
  for (const { name, description } of again.faults)
    yield `its example is refused when it is read again (${name}: ${description})`;
  if (again.faults.length === 0 && printFields(dto, again.fields) !== text)
    yield `its example is printed otherwise when it is read again, as ${printFields(dto, again.fields)}`;
}

/** The example, and the objects and items in it. */
function* partsOf(dto: DtoClass, members: JsonObject, keys: readonly string[] = []): Generator<Part> {
  yield { dto, keys, members };
  for (const [name, { nested }] of fieldsOf(dto)) {
    const value = members[name];
    if (nested === undefined || value === undefined) continue;
    if (!Array.isArray(value)) yield* partsOf(nested(), value as JsonObject, [...keys, name]);
    else for (const [i, item] of value.entries()) yield* partsOf(nested(), item as JsonObject, [...keys, name, `${i}`]);
  }
}

/** Values of the kinds that the field's JSON Schema does not name; without a `type` there, a team's own kind may take any but objects. */
function foreignValues({ nested, list, schema }: RuledField): unknown[] {
  if (nested !== undefined) return list ? ['x', {}] : ['x', []];
  const { type = ['string', 'number', 'boolean', 'array'] } = schema as { type?: string | string[] };
  const own = new Set([type].flat().map((kind) => (kind === 'integer' ? 'number' : kind)));
  return Object.keys(KINDS)
    .filter((kind) => !own.has(kind))
    .map((kind) => KINDS[kind]);
}

/** Reads the example with another value of one member, which has to be refused. @param value undefined leaves it out */
function* faultOfTry(dto: DtoClass, data: JsonObject, { keys, value }: { keys: string[]; value: unknown }): Faults {
  const path = keys.join('.');
  const told = `its example with ${value === undefined ? 'no' : JSON.stringify(value)} ${path}`;
  try {
    const refused = readFields(dto, withMember(data, keys, value)).faults.map(({ name }) => name);
    // A team's rule may look at other fields, too.
    const isNamed = prepare(dto).hasOnlyOurRules ? refused.join() === path : refused.includes(path);
    if (!isNamed) yield `${told} is ${refused.length === 0 ? 'not refused' : `refused for ${refused.join(', ')}`}`;
  } catch (error) {
    yield `${told} cannot be read: ${String(error)}`;
  }
}

/** A copy with another value of the member that the keys lead to. */
function withMember(data: JsonObject, keys: readonly string[], value: unknown): JsonObject {
  const copy = structuredClone(data);
  const last = keys.length - 1;
  const part = keys.slice(0, last).reduce((one, key) => one[key] as JsonObject, copy);
  if (value === undefined) delete part[keys[last] as string];
  else part[keys[last] as string] = value;
  return copy;
}
