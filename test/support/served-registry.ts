import { afterAll, beforeAll } from '@jest/globals';
import type { TestDatabaseKind } from './databases.js';
import { TestRegistry } from './registry.js';

/** A registry for the tests of a block, started before the first of them and stopped after the last. @param env as for TestRegistry.start */
export function servedRegistry(kind: TestDatabaseKind, env: Record<string, string> = {}): TestRegistry {
  let registry: TestRegistry | undefined;
  beforeAll(async () => {
    registry = await TestRegistry.start(kind, env);
  });
  afterAll(() => registry?.stop());
  return new Proxy({} as TestRegistry, { get: (_, name) => Reflect.get(registry as TestRegistry, name) as unknown });
}
