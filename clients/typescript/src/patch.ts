import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

type JsonObject = Record<string, unknown>;

/** A patch that may be sent twice: items without an id, which the registry would add each time, get theirs here. */
export function repeatable(patch: unknown): unknown {
  if (Array.isArray(patch)) return patch.map((item) => (isObject(item) ? withId(item) : item));
  if (!isObject(patch)) return patch;
  return Object.fromEntries(Object.entries(patch).map(([name, value]) => [name, repeatable(value)]));
}

function withId(item: JsonObject): JsonObject {
  return { id: randomUUID().replaceAll('-', ''), ...(repeatable(item) as JsonObject) };
}

/** Whether an asset is already as a JSON Merge Patch would make it. */
export function holds(asset: unknown, patch: unknown): boolean {
  if (Array.isArray(asset)) return holdsItems(asset, patch);
  if (!isObject(patch)) return isDeepStrictEqual(asset, patch);
  if (!isObject(asset)) return false;
  return Object.entries(patch).every(([name, value]) =>
    value === null ? !(name in asset) : holds(asset[name], value),
  );
}

/** Lists are patched by the ids of their items: with a list of some of them, or with an object that has them by id. */
function holdsItems(items: readonly unknown[], patch: unknown): boolean {
  const itemOf = (id: unknown): unknown => items.find((item) => isObject(item) && item['id'] === id);
  if (Array.isArray(patch)) {
    const hasIds = patch.length > 0 && patch.every((item) => isObject(item) && item['id'] !== undefined);
    return hasIds
      ? patch.every((item: JsonObject) => holds(itemOf(item['id']), item))
      : isDeepStrictEqual(items, patch);
  }
  if (!isObject(patch)) return false;
  return Object.entries(patch).every(([id, item]) => (item === null ? !itemOf(id) : holds(itemOf(id), item)));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
