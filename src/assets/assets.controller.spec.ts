import { expect, it } from '@jest/globals';
import { TIME_BUDGETS_MS } from '../platform/config/time-budgets.js';
import { callerOf } from '../http/caller.js';
import type { RegistryResponse } from '../http/request.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { AssetsController } from './assets.controller.js';

const ID = 'a'.repeat(32);
const never = (): Promise<never> => new Promise(() => undefined);

it.each([
  ['an asset', 'read', ''],
  ['an asset at an instant', 'read', '?at=2026-01-01'],
  ['a history', 'listStates', ''],
] as const)('%s is 503 if it is not read in 7.5 s', async (_, method, query) => {
  const parts = [
    { get: never, getId: (id: string) => Promise.resolve(id) },
    { at: never, list: never },
    new RegistryTime('UTC'),
    {},
  ];
  const controller = new AssetsController(...(parts as unknown as ConstructorParameters<typeof AssetsController>));
  const arrivedMs = performance.now() - TIME_BUDGETS_MS.answer;
  const req = { url: `/api/0.1/assets/${ID}${query}`, params: { id: ID }, headers: {}, arrivedMs, idleMs: 0 };
  const response = { req } as unknown as RegistryResponse;
  await expect(controller[method](response.req, callerOf(response))).rejects.toMatchObject({ status: 503 });
});
