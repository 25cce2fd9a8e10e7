type JsonObject = Record<string, unknown>;

/** `target` after JSON Merge Patch (RFC 7396): nested objects merge, null removes, everything else replaces. Neither is changed. */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = { ...target };
  for (const key of Object.keys(patch)) {
    const value = patch[key];
    if (value === null) delete merged[key];
    else setMember(merged, key, isObject(value) ? mergePatch(asObject(merged[key]), value) : value);
  }
  return merged;
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

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
