import { isObject } from '../feed/reading/asset-view.js';
import type { DtoClass } from '../asset-types/fields.js';
import { namesToRead } from '../asset-types/fields-json.js';
import { prepare } from '../asset-types/prepared-dto.js';
import { MAX_ITEMS } from '../asset-types/rules.js';

type JsonObject = Record<string, unknown>;

const NONE: ReadonlySet<string> = new Set();

/**
 * Applies a JSON Merge Patch (RFC 7396): nested objects merge, null removes, everything else replaces. Modifies neither argument.
 *
 * A list of items is patched as an object of its items by id; items that the patch does not name stay. The patch may be such an object, where
 * null removes an item, or a list, whose members merge into the item with the same id or are added. A list that is too long is returned
 * unmerged, for validation to refuse it.
 * @param dto the known fields, and which are lists of items. Unknown fields are kept, even null, so that validation refuses them; but no more
 * than a refusal lists
 * @param others known fields in addition to those of `dto`
 */
export function mergePatch(
  target: JsonObject,
  patch: JsonObject,
  dto?: DtoClass,
  others: ReadonlySet<string> = NONE,
): JsonObject {
  const fields = dto === undefined ? undefined : prepare(dto).byName;
  const isKnown = (key: string): boolean => fields === undefined || fields.has(key) || others.has(key);
  const merged = { ...target };
  for (const key of namesToRead(patch, isKnown)) {
    const value = patch[key];
    const before = merged[key];
    const field = fields?.get(key);
    if (value === null && isKnown(key)) delete merged[key];
    else if (field?.list) merged[key] = mergeItems((before ?? []) as JsonObject[], value, field.nested?.());
    else setMember(merged, key, isObject(value) ? mergePatch(asObject(before), value, field?.nested?.()) : value);
  }
  return merged;
}

function mergeItems(items: readonly JsonObject[], patch: unknown, dto: DtoClass | undefined): unknown {
  if (!isObject(patch) && !Array.isArray(patch)) return patch;
  // Merging would not make it shorter: each member adds an item, or belongs to a different one.
  if (Array.isArray(patch) && patch.length > MAX_ITEMS) return patch;
  const merged: unknown[] = [...items];
  // A map, because a search for each of many ids would take quadratic time.
  const indexById = new Map<unknown, number>(items.map(({ id }, index) => [id, index]));
  // An item without an id is a new one, not an item whose id was erased.
  indexById.delete(undefined);
  const removed = new Set<number>();
  for (const [id, change] of changesOf(patch)) {
    const index = indexById.get(id);
    // A second member with the same id is added as another item, so that validation refuses the duplicate.
    indexById.delete(id);
    if (change === null && !Array.isArray(patch)) {
      if (index !== undefined) removed.add(index);
    } else if (index !== undefined && isObject(change)) {
      merged[index] = mergePatch(merged[index] as JsonObject, change, dto);
    } else {
      merged.push(change);
    }
  }
  return merged.filter((_, index) => !removed.has(index));
}

/** @returns the change of each item, with its id */
function changesOf(patch: JsonObject | unknown[]): [unknown, unknown][] {
  return Array.isArray(patch)
    ? patch.map((item: unknown) => [isObject(item) ? item['id'] : undefined, item])
    : Object.entries(patch).map(([id, item]) => [id, isObject(item) ? { id, ...item, ...refusedId(id, item) } : item]);
}

/** An item cannot change its id: returns an id that validation refuses, if the patch has another one. */
function refusedId(id: string, item: JsonObject): JsonObject {
  return item['id'] === undefined || item['id'] === id ? {} : { id: '' };
}

/** Sets a member of any name; an assignment to `__proto__` would set the prototype instead. */
function setMember(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
