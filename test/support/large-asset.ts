import compound from '../../src/asset-types/compound/compound.example.json' with { type: 'json' };
import type { JsonObject } from './assets.js';

/** A body of POST for an asset of maximum size: a thousand items, in a megabyte. */
export function largestBody(): { data: JsonObject } {
  const [item] = compound.data.items;
  const items = Array.from({ length: 400 }, (_, i) => ({ ...item, description: `${i} ${'ж'.repeat(900)}` }));
  return { data: { ...compound.data, items, status: 'draft' } };
}
