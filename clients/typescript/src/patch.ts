import { isDeepStrictEqual } from 'node:util';

/** Whether an asset is already as a JSON Merge Patch would make it. */
export function holds(asset: unknown, patch: unknown): boolean {
  if (!isObject(patch)) return isDeepStrictEqual(asset, patch);
  if (!isObject(asset)) return false;
  return Object.entries(patch).every(([name, value]) =>
    value === null ? !(name in asset) : holds(asset[name], value),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
