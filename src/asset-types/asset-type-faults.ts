import type { AssetType } from './asset-type.js';
import { type DtoClass, type Field, fieldsOf } from './field.js';
import { isLabels } from './labels.js';
import { findFaultOfLifecycle } from './lifecycle-faults.js';
import { mayWrite, STANDARD_LIFECYCLE } from './lifecycle.js';
import { readFields } from './read-fields.js';
import { SERVICE_FIELDS } from './service-fields.js';

/*
 * What keeps an asset type from being installed, as the rest of a sentence that begins with its name; undefined for a sound one. Types come
 * from teams and packages, perhaps without a compiler's help, so nothing is taken for granted.
 */

/** As of a field or a state: longer ones would not fit where they are kept. */
const NAME = /^[A-Za-z][A-Za-z0-9]{0,31}$/;
const TYPE_NAME = /^[A-Za-z][A-Za-z0-9]{0,63}$/;

export function findFaultOfType(type: AssetType): string | undefined {
  return (
    faultOfNames(type) ??
    faultOfDto(type.dto, '') ??
    faultOfOwnFields(type.dto) ??
    findFaultOfLifecycle(type.lifecycle ?? STANDARD_LIFECYCLE, fieldsOf(type.dto)) ??
    faultOfCreation(type) ??
    faultOfExample(type)
  );
}

function faultOfNames({ name, aliases = [], labels }: AssetType): string | undefined {
  for (const each of [name, ...aliases]) {
    if (!TYPE_NAME.test(each)) return `its name ${each} is not a letter, then up to 63 letters and digits`;
  }
  return isLabels(labels) ? undefined : 'it has no label in Ukrainian (uk) and English (en)';
}

/** @param path of the object that the DTO describes, with a dot at its end */
function faultOfDto(dto: DtoClass, path: string, above: readonly DtoClass[] = []): string | undefined {
  if (typeof dto !== 'function' || fieldsOf(dto).size === 0)
    return path === '' ? 'its DTO describes no field' : `the DTO of its field ${path.slice(0, -1)} describes no field`;
  for (const [name, field] of fieldsOf(dto)) {
    const fault = faultOfField(name, field, path);
    if (fault !== undefined) return fault;
    const nested = field.nested?.();
    // A DTO may be found again within itself.
    if (nested === undefined || nested === dto || above.includes(nested)) continue;
    const below = faultOfDto(nested, `${path}${name}.`, [...above, dto]);
    if (below !== undefined) return below;
  }
  return undefined;
}

function faultOfField(name: string, { labels, list, nested }: Field, path: string): string | undefined {
  if (!NAME.test(name)) return `the name of its field ${path}${name} is not a letter, then up to 31 letters and digits`;
  if (!isLabels(labels)) return `its field ${path}${name} has no label in Ukrainian (uk) and English (en)`;
  if (list && nested && !fieldsOf(nested()).has('id'))
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
  const state = lifecycle.states[lifecycle.initial];
  for (const [name, { optional }] of own) {
    if (!optional && state !== undefined && !mayWrite(state, 'owner', name, own))
      return `its field ${name} is required, but the owner may not write it in the state ${lifecycle.initial}, in which assets are created`;
  }
  return undefined;
}

function faultOfExample(type: AssetType): string | undefined {
  const { assetType, ...data } = type.example?.data ?? {};
  if (assetType !== type.name) return `the data.assetType of its example is ${String(assetType)}`;
  const { initial } = type.lifecycle ?? STANDARD_LIFECYCLE;
  const { fields, faults } = readFields(type.dto, data);
  const [fault] = faults.length > 0 ? faults : (type.check?.(fields, initial) ?? []);
  return fault === undefined ? undefined : `its example is refused: ${fault.name}: ${fault.description}`;
}
