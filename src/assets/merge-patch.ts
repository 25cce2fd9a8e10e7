type JsonObject = Record<string, unknown>;

/** `target` after JSON Merge Patch (RFC 7396): nested objects merge, null removes, everything else replaces. Neither is changed. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  // A map and fromEntries, because assigning to `__proto__` would not make a member.
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, isObject(value) ? mergePatch(asObject(merged.get(key)), value) : value);
  }
  return Object.fromEntries(merged);
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
