import type { AssetType } from '../../asset-types/asset-type.js';
import { type DtoClass, fieldsOf, type RuledField } from '../../asset-types/fields.js';
import { printFields, readFields } from '../../asset-types/fields-json.js';
import { prepare } from '../../asset-types/prepared-dto.js';
import { isSame } from '../../feed/reading/asset-view.js';

/*
 * Tests the fields of an asset type with its example. Each fault completes a sentence that begins with the type's name.
 */

type JsonObject = Record<string, unknown>;
type Faults = Generator<string, void>;

/** An object in the example, and the keys of the path to it. */
interface Part {
  dto: DtoClass;
  keys: readonly string[];
  members: JsonObject;
}

/** A value of each JSON type; only nested fields accept an object. */
const KINDS: Readonly<Record<string, unknown>> = { string: 'x', number: 5, boolean: true, array: [], object: {} };

export function* faultsOfFields({ dto, example }: AssetType): Faults {
  const { assetType: _, ...data } = example.data;
  yield* faultsOfPrint(dto, data);
  for (const part of partsOf(dto, data)) {
    const faultsWith = (name: string, value: unknown): Faults =>
      faultOfValue(dto, data, { keys: [...part.keys, name], value });
    yield* faultsWith('rogueMember', 1);
    for (const [name, field] of fieldsOf(part.dto)) {
      if (!field.optional) yield* faultsWith(name, undefined);
      for (const value of [null, ...foreignValues(field)]) yield* faultsWith(name, value);
    }
  }
}

/** A later PATCH must read the stored text as the same fields. */
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

/** The example, and all objects and items in it. */
function* partsOf(dto: DtoClass, members: JsonObject, keys: readonly string[] = []): Generator<Part> {
  yield { dto, keys, members };
  for (const [name, { nested }] of fieldsOf(dto)) {
    const value = members[name];
    if (nested === undefined || value === undefined) continue;
    if (!Array.isArray(value)) yield* partsOf(nested(), value as JsonObject, [...keys, name]);
    else for (const [i, item] of value.entries()) yield* partsOf(nested(), item as JsonObject, [...keys, name, `${i}`]);
  }
}

/** Values of types that the field's JSON Schema excludes; without a `type`, a custom field may accept anything but objects. */
function foreignValues({ nested, list, schema }: RuledField): unknown[] {
  if (nested !== undefined) return list ? ['x', {}] : ['x', []];
  const { type = ['string', 'number', 'boolean', 'array'] } = schema as { type?: string | string[] };
  const allowed = new Set([type].flat().map((kind) => (kind === 'integer' ? 'number' : kind)));
  return Object.keys(KINDS)
    .filter((kind) => !allowed.has(kind))
    .map((kind) => KINDS[kind]);
}

/** Reads the example with an invalid value of one member, which must be refused. @param value undefined to omit the member */
function* faultOfValue(dto: DtoClass, data: JsonObject, { keys, value }: { keys: string[]; value: unknown }): Faults {
  const path = keys.join('.');
  const subject = `its example with ${value === undefined ? 'no' : JSON.stringify(value)} ${path}`;
  try {
    const refused = readFields(dto, withMember(data, keys, value)).faults.map(({ name }) => name);
    // A team's rule may read other fields and refuse them, too.
    const isNamed = prepare(dto).hasOnlyOurRules ? refused.join() === path : refused.includes(path);
    if (!isNamed) yield `${subject} is ${refused.length === 0 ? 'not refused' : `refused for ${refused.join(', ')}`}`;
  } catch (error) {
    yield `${subject} cannot be read: ${String(error)}`;
  }
}

/** @returns a copy with another value of the member at the keys */
function withMember(data: JsonObject, keys: readonly string[], value: unknown): JsonObject {
  const copy = structuredClone(data);
  const last = keys.length - 1;
  const part = keys.slice(0, last).reduce((one, key) => one[key] as JsonObject, copy);
  if (value === undefined) delete part[keys[last] as string];
  else part[keys[last] as string] = value;
  return copy;
}
