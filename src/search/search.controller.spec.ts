import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, jest } from '@jest/globals';
import type { Database } from '../database/database.js';
import { SqliteDialect } from '../database/dialects/sqlite/sqlite.dialect.js';
import type { Caller, RegistryRequest, Origins } from '../http/exchange.js';
import { RegistryTime } from '../time/registry-time.js';
import type { FoundAssets } from './found-assets.js';
import { SearchController } from './search.controller.js';

it('pages with assets are read one after the other from a file, and none for who has gone', async () => {
  let [reading, most] = [0, 0];
  const read = jest.fn<FoundAssets['read']>(async () => {
    most = Math.max(most, ++reading);
    await turn();
    reading--;
    return [];
  });
  const page = { hits: [], total: 0, isTotalExact: true, facets: undefined, isComplete: true, indexedUs: 0 };
  const origins = { of: () => ({ base: '', path: '/search', query: undefined }) };
  const parts = [
    { find: () => Promise.resolve(page) },
    { read },
    origins as unknown as Origins,
    new RegistryTime('UTC'),
    { transform: () => ({ fields: '*', offset: '', facets: [] }) },
    undefined,
    undefined,
    { dialect: new SqliteDialect('none') } as unknown as Database,
  ];
  const controller = new SearchController(...(parts as unknown as ConstructorParameters<typeof SearchController>));
  const ask = (isGone: boolean) =>
    controller.list({ headers: {} } as RegistryRequest, { isGone: () => isGone } as unknown as Caller);
  const answers = Promise.allSettled([ask(false), ask(true), ask(false)]);
  await answers;
  expect([most, read.mock.calls.length]).toEqual([1, 2]);
  expect((await answers)[1]).toMatchObject({ reason: { status: 503 } });
});
