import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it, jest } from '@jest/globals';
import type { Requester } from '../platform/concurrency/semaphore.js';
import { HomePage } from './home.page.js';
import type { PageQuery } from './page-query.js';
import { PagesService } from './pages.service.js';
import type { PageContext } from './page-context.js';

const NONE = {} as never;
const TYPES = { installed: [] } as never;
const VISIT = { language: 'uk', base: '', query: {} } as PageContext;

afterEach(() => {
  jest.restoreAllMocks();
});

it('concurrent requests share one rendering of a list, which stops when all clients are gone', async () => {
  jest.spyOn(HomePage.prototype, 'show').mockReturnValue('');
  let areGone = false;
  const seen: boolean[] = [];
  const page = async (_query: PageQuery, _visit: PageContext, searcher: Requester) => {
    await setImmediate();
    for (areGone of [true, false]) seen.push(searcher.isGone());
    return {};
  };
  const search = { choices: () => ({ regions: [], currencies: [] }) } as never;
  const lists = { page } as never;
  const pages = new PagesService(lists, NONE, search, NONE, NONE, TYPES, NONE, NONE, NONE, NONE);
  const visitors = [1, 2].map(() => ({ isGone: () => areGone }));
  await Promise.all(visitors.map((visitor) => pages.home(NONE, VISIT, visitor)));
  expect(seen.slice(0, 2)).toEqual([true, false]);
});
