import type { AssetType } from './asset-type.js';
import { type DtoClass, type Field, fieldsOf } from './fields.js';
import { isLabels } from './labels.js';
import { findFaultOfLifecycle, NAME } from './lifecycle-faults.js';
import { mayBring, STANDARD_LIFECYCLE } from './lifecycle.js';
import { type FieldFault, readFields } from './fields-json.js';
import { SERVICE_FIELDS } from './service-fields.js';
import { Item } from './shared/parts.dto.js';

/*
 * What keeps an asset type from being installed, as the rest of a sentence that begins with its name; undefined for a sound one. Types come
 * from teams and packages, perhaps without a compiler's help, so nothing is taken for granted.
 */

const ITEM_ID = fieldsOf(Item as DtoClass).get('id');
const TYPE_NAME = /^[A-Za-z][A-Za-z0-9]{0,63}$/;

export function findFaultOfType(type: AssetType): string | undefined {
  return (
    faultOfNames(type) ??
    faultOfCheck(type) ??
    faultOfDto(type.dto, '') ??
    faultOfOwnFields(type.dto) ??
    findFaultOfLifecycle(type.lifecycle ?? STANDARD_LIFECYCLE, fieldsOf(type.dto)) ??
    faultOfCreation(type) ??
    faultOfExample(type)
  );
}

function faultOfNames({ name, aliases = [], labels }: AssetType): string | undefined {
  if (!isName(name)) return `its name ${String(name)} is not a letter, then up to 63 letters and digits`;
  if (!Array.isArray(aliases)) return 'its aliases are no list';
  for (const alias of aliases as readonly unknown[]) {
    if (!isName(alias)) return `its alias ${String(alias)} is not a letter, then up to 63 letters and digits`;
  }
  return isLabels(labels) ? undefined : 'it has no label in Ukrainian (uk) and English (en)';
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && TYPE_NAME.test(name);
}

function faultOfCheck({ check }: Partial<AssetType>): string | undefined {
  return check === undefined || typeof check === 'function' ? undefined : 'its check is no function';
}

/** @param path of the object that the DTO describes, with a dot at its end */
function faultOfDto(dto: DtoClass, path: string, above: readonly DtoClass[] = []): string | undefined {
  if (typeof dto !== 'function' || fieldsOf(dto).size === 0)
    return path === '' ? 'its DTO describes no field' : `the DTO of its field ${path.slice(0, -1)} describes no field`;
  for (const [name, field] of fieldsOf(dto)) {
    const fault = faultOfField(name, field, path);
    if (fault !== undefined) return fault;
    if (field.nested === undefined) continue;
    const nested = field.nested();
    // A DTO may be found again within itself.
    if (nested === dto || above.includes(nested)) continue;
    const below = faultOfDto(nested, `${path}${name}.`, [...above, dto]);
    if (below !== undefined) return below;
  }
  return undefined;
}

function faultOfField(name: string, { labels, list, nested, choices = {} }: Field, path: string): string | undefined {
  if (!NAME.test(name)) return `the name of its field ${path}${name} is not a letter, then up to 31 letters and digits`;
  if (!isLabels(labels)) return `its field ${path}${name} has no label in Ukrainian (uk) and English (en)`;
  const bare = Object.keys(choices).find((choice) => !isLabels(choices[choice]));
  if (bare !== undefined) return `the choice ${bare} of its field ${path}${name} has no label in both languages`;
  // An id of another kind could be missing, or be no id.
  if (list && nested && typeof nested() === 'function' && fieldsOf(nested()).get('id') !== ITEM_ID)
    return `the DTO of the list ${path}${name} does not extend Item, so a PATCH could not tell its members apart`;
  return undefined;
}

function faultOfOwnFields(dto: DtoClass): string | undefined {
  const taken = [...fieldsOf(dto).keys()].find((field) => SERVICE_FIELDS.has(field));
  return taken === undefined ? undefined : `its DTO describes ${taken}, which the registry sets`;
}

/** A broker who may not write what is required could create nothing. */
function faultOfCreation({ dto, lifecycle = STANDARD_LIFECYCLE }: AssetType): string | undefined {
  const own = fieldsOf(dto);
  for (const [name, { optional }] of own) {
    if (!optional && !mayBring(lifecycle, name, own))
      return `its field ${name} is required, but the owner may not write it in the state ${lifecycle.initial}, in which assets are created`;
  }
  return undefined;
}

function faultOfExample(type: AssetType): string | undefined {
  const { assetType, ...data } = type.example?.data ?? {};
  if (assetType !== type.name) return `the data.assetType of its example is ${String(assetType)}`;
  const lifecycle = type.lifecycle ?? STANDARD_LIFECYCLE;
  const { initial, states } = lifecycle;
  const own = fieldsOf(type.dto);
  const unknown = Object.keys(type.example.moves ?? {}).find((state) => !Object.hasOwn(states, state));
  if (unknown !== undefined) return `its example tells of moves to the state ${unknown}, which it does not have`;
  const barred = Object.keys(data).find((name) => own.has(name) && !mayBring(lifecycle, name, own));
  if (barred !== undefined)
    return `its example brings ${barred}, which the owner may not write in the state ${initial}`;
  const { fields, faults } = readFields(type.dto, data);
  const together = faults.length > 0 ? faults : checked(type, fields, initial);
  if (typeof together === 'string') return together;
  const told = together.map(({ name, description }) => `${name}: ${description}`).join('; ');
  return told === '' ? undefined : `its example is refused: ${told}`;
}

/** What `check` says of the example, or a sentence where it cannot be asked. */
function checked(type: AssetType, fields: object, status: string): FieldFault[] | string {
  try {
    const faults: unknown = type.check?.(fields, status) ?? [];
    return Array.isArray(faults) ? (faults as FieldFault[]) : 'its check does not return a list of faults at once';
  } catch (error) {
    return `its check fails on its example: ${String(error)}`;
  }
}
