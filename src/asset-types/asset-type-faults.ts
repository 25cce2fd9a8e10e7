import { plainToInstance } from 'class-transformer';
import type { AssetType } from './asset-type.js';
import { type DtoClass, type Field, fieldsOf } from './fields.js';
import { isLabels } from './labels.js';
import { faultsOfLifecycle, NAME } from './lifecycle-faults.js';
import { lifecycleOf, mayCreateWith } from './lifecycle.js';
import { type FieldFault, printFields, readFields } from './fields-json.js';
import { prepare } from './prepared-dto.js';
import { SERVICE_FIELDS } from './service-fields.js';
import { Item } from './shared/parts.dto.js';

/*
 * Checks of an asset type at start. Each fault completes a sentence that starts with the type's name. Types may come from packages that no
 * compiler has checked, so nothing is assumed about their shape.
 */

const ITEM_ID = fieldsOf(Item as DtoClass).get('id');
const TYPE_NAME = /^[A-Za-z][A-Za-z0-9]{0,63}$/;

type Faults = Generator<string, void>;

/** Later stages rely on the earlier ones having found no faults. */
const STAGES: readonly ((type: AssetType) => Faults)[] = [faultsOfShape, faultsOfStates, faultsOfExample];

/** @returns the faults of the first stage that finds any; empty for a valid type */
export function findFaultsOfType(type: AssetType): string[] {
  for (const stage of STAGES) {
    const faults = [...stage(type)];
    if (faults.length > 0) return faults;
  }
  return [];
}

function* faultsOfShape(type: AssetType): Faults {
  yield* faultsOfNames(type);
  if (!['undefined', 'function'].includes(typeof type.check)) yield 'its check is not a function';
  yield* faultsOfDto(type.dto, '');
}

function* faultsOfNames({ name, aliases = [], labels }: AssetType): Faults {
  if (!isName(name)) yield `its name ${String(name)} is not a letter, then up to 63 letters and digits`;
  if (!Array.isArray(aliases)) return yield 'its aliases are not a list';
  for (const alias of aliases as readonly unknown[]) {
    if (!isName(alias)) yield `its alias ${String(alias)} is not a letter, then up to 63 letters and digits`;
  }
  if (!isLabels(labels)) yield 'it has no label in Ukrainian (uk) and English (en)';
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && TYPE_NAME.test(name);
}

/** @param path of the object that the DTO describes, with a dot at its end */
function* faultsOfDto(dto: DtoClass, path: string, above: readonly DtoClass[] = []): Faults {
  if (typeof dto !== 'function' || fieldsOf(dto).size === 0)
    return yield path === ''
      ? 'its DTO describes no field'
      : `the DTO of its field ${path.slice(0, -1)} describes no field`;
  for (const [name, field] of fieldsOf(dto)) {
    yield* faultsOfField(name, field, path);
    if (field.nested === undefined) continue;
    const nested = field.nested();
    // A DTO may contain itself.
    if (nested !== dto && !above.includes(nested)) yield* faultsOfDto(nested, `${path}${name}.`, [...above, dto]);
  }
}

function* faultsOfField(name: string, { labels, list, nested, choices = {} }: Field, path: string): Faults {
  if (!NAME.test(name)) yield `the name of its field ${path}${name} is not a letter, then up to 31 letters and digits`;
  if (!isLabels(labels)) yield `its field ${path}${name} has no label in Ukrainian (uk) and English (en)`;
  for (const choice of Object.keys(choices).filter((one) => !isLabels(choices[one])))
    yield `the choice ${choice} of its field ${path}${name} has no label in both languages`;
  // A field `id` of another kind may be missing or have other values.
  if (list && nested && typeof nested() === 'function' && fieldsOf(nested()).get('id') !== ITEM_ID)
    yield `the DTO of the list ${path}${name} does not extend Item, so a PATCH could not identify its members`;
}

function* faultsOfStates(type: AssetType): Faults {
  const own = fieldsOf(type.dto);
  for (const field of own.keys())
    if (SERVICE_FIELDS.has(field)) yield `its DTO describes ${field}, which the registry sets`;
  yield* faultsOfLifecycle(lifecycleOf(type), own);
}

function* faultsOfExample(type: AssetType): Faults {
  const lifecycle = lifecycleOf(type);
  const own = fieldsOf(type.dto);
  // Without the right to write a required field, a broker could create no asset.
  for (const [name, { optional }] of own)
    if (!optional && !mayCreateWith(lifecycle, name, own))
      yield `its field ${name} is required, but the owner may not write it in the state ${lifecycle.initial}, in which assets are created`;
  const { assetType, ...data } = type.example?.data ?? {};
  if (assetType !== type.name) yield `the data.assetType of its example is ${String(assetType)}`;
  for (const state of Object.keys(type.example?.moves ?? {}).filter((one) => !Object.hasOwn(lifecycle.states, one)))
    yield `its example has moves to the state ${state}, which the type does not have`;
  for (const name of Object.keys(data).filter((one) => own.has(one) && !mayCreateWith(lifecycle, one, own)))
    yield `its example sets ${name}, which the owner may not write in the state ${lifecycle.initial}`;
  yield* faultsOfData(type, data, lifecycle.initial);
}

function* faultsOfData(type: AssetType, data: Record<string, unknown>, initial: string): Faults {
  const { fields, faults } = readFields(type.dto, data);
  const together = faults.length > 0 ? faults : checkExample(type, fields, initial);
  if (typeof together === 'string') return yield together;
  const list = together.map(({ name, description }) => `${name}: ${description}`).join('; ');
  if (list !== '') return yield `its example is refused: ${list}`;
  // The registry skips class-transformer for a PlainDto, so its promise is verified here.
  if (prepare(type.dto).isPlain && printTransformed(type.dto, data) !== printFields(type.dto, fields))
    yield 'its DTO is a PlainDto, but class-transformer changes its example';
}

/** Prints class-transformer's result for valid data, or the error if that cannot be printed. */
function printTransformed(dto: DtoClass, data: Record<string, unknown>): string {
  try {
    return printFields(dto, plainToInstance(dto, data));
  } catch (error) {
    return String(error);
  }
}

/** @returns the faults that the type's `check` finds in the example, or a sentence if the check itself fails */
function checkExample(type: AssetType, fields: object, status: string): FieldFault[] | string {
  try {
    const faults: unknown = type.check?.(fields, status) ?? [];
    return Array.isArray(faults)
      ? (faults as FieldFault[])
      : 'its check does not return a list of faults synchronously';
  } catch (error) {
    return `its check fails on its example: ${String(error)}`;
  }
}
