import { isObject } from '../feed/reading/asset-view.js';
import type { DtoClass } from '../asset-types/fields.js';
import { namesToRead } from '../asset-types/fields-json.js';
import { prepare } from '../asset-types/prepared-dto.js';
import { MAX_ITEMS } from '../asset-types/rules.js';

type JsonObject = Record<string, unknown>;

const NONE: ReadonlySet<string> = new Set();

/**
 * `target` after JSON Merge Patch (RFC 7396): nested objects merge, null removes, everything else replaces. Neither is changed.
 *
 * A list of items is patched as if it were the object of its items by id: what is not named stays. The patch may be that object, whose
 * nulls remove; or a list, whose members merge into the item with their id, and are added where there is none. A list of more than may be
 * kept is returned as it is, to be refused.
 * @param dto says which fields are lists of items, and which there are: a null for another one stays, so that it is refused like any value,
 * and no more of those come through than a refusal tells
 * @param others fields that stand beside those of `dto`
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
  // Each member of a list becomes an item, or a part of one of its own: what is merged would be too long as well, and be refused in the same way.
  if (Array.isArray(patch) && patch.length > MAX_ITEMS) return patch;
  const merged: unknown[] = [...items];
  // Whoever sends very many must not make each be looked for among all.
  const places = new Map<unknown, number>(items.map(({ id }, place) => [id, place]));
  // Where the id of an item was erased, none that comes without one is meant by it.
  places.delete(undefined);
  const removed = new Set<number>();
  for (const [id, change] of changesOf(patch)) {
    const place = places.get(id);
    // What a list says of the same item again is another item of that id, and its type refuses the two.
    places.delete(id);
    if (change === null && !Array.isArray(patch)) {
      if (place !== undefined) removed.add(place);
    } else if (place !== undefined && isObject(change)) {
      merged[place] = mergePatch(merged[place] as JsonObject, change, dto);
    } else {
      merged.push(change);
    }
  }
  return merged.filter((_, place) => !removed.has(place));
}

/** What a patch of a list says of each item, by its id. */
function changesOf(patch: JsonObject | unknown[]): [unknown, unknown][] {
  return Array.isArray(patch)
    ? patch.map((item: unknown) => [isObject(item) ? item['id'] : undefined, item])
    : Object.entries(patch).map(([id, item]) => [id, isObject(item) ? { id, ...item, ...refusedId(id, item) } : item]);
}

/** No item gets another id: what its type refuses stands in the place of one. */
function refusedId(id: string, item: JsonObject): JsonObject {
  return item['id'] === undefined || item['id'] === id ? {} : { id: '' };
}

/** A member of any name: a plain assignment to `__proto__` would make none. */
function setMember(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
