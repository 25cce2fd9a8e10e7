import { expect } from '@jest/globals';
import { ASSETS } from './assets.js';
import type { TestCopy } from './copies.js';
import { follow } from './pages.js';
import type { TestRegistry } from './registry.js';

/** Every listed asset of the registry, by id. */
export async function listed(registry: TestRegistry): Promise<Map<string, string>> {
  const entries = await follow(registry, `${ASSETS}?limit=1000&opt_fields=*`);
  return new Map(entries.map((entry) => [entry.id, JSON.stringify(entry)]));
}

/** Every asset of a copy, by id. */
export async function copied(copy: TestCopy): Promise<Map<string, string>> {
  const documents = await copy.documents();
  return new Map(Array.from(documents, ([id, text]) => [id, JSON.stringify(JSON.parse(text))]));
}

export async function expectSame(copy: TestCopy, registry: TestRegistry): Promise<void> {
  expect(await copied(copy)).toEqual(await listed(registry));
}
