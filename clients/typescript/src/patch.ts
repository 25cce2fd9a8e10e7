import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

type JsonObject = Record<string, unknown>;

/** Makes a patch idempotent: items without an id, which the registry would add each time, get one here. */
export function repeatable(patch: unknown): unknown {
  if (Array.isArray(patch)) return patch.map((item) => (isObject(item) ? withId(item) : item));
  if (!isObject(patch)) return patch;
  return Object.fromEntries(Object.entries(patch).map(([name, value]) => [name, repeatable(value)]));
}

function withId(item: JsonObject): JsonObject {
  return { id: randomUUID().replaceAll('-', ''), ...(repeatable(item) as JsonObject) };
}

/** Whether an asset is unchanged by a JSON Merge Patch. */
export function isPatched(asset: unknown, patch: unknown): boolean {
  if (Array.isArray(asset)) return areItemsPatched(asset, patch);
  if (!isObject(patch)) return isDeepStrictEqual(asset, patch);
  if (!isObject(asset)) return false;
  return Object.entries(patch).every(([name, value]) =>
    value === null ? !(name in asset) : isPatched(asset[name], value),
  );
}

/** Lists are patched by item id: with a list of some items, or with an object whose keys are ids. */
function areItemsPatched(items: readonly unknown[], patch: unknown): boolean {
  const itemOf = (id: unknown): unknown => items.find((item) => isObject(item) && item['id'] === id);
  if (Array.isArray(patch)) {
    const hasIds = patch.length > 0 && patch.every((item) => isObject(item) && item['id'] !== undefined);
    return hasIds
      ? patch.every((item: JsonObject) => isPatched(itemOf(item['id']), item))
      : isDeepStrictEqual(items, patch);
  }
  if (!isObject(patch)) return false;
  return Object.entries(patch).every(([id, item]) => (item === null ? !itemOf(id) : isPatched(itemOf(id), item)));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
