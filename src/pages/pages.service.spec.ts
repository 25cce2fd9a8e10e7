import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it, jest } from '@jest/globals';
import type { Requester } from '../platform/concurrency/semaphore.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { AssetSearch, type Searcher } from '../search/asset-search.js';
import { EVERYTHING } from '../search/search-query.js';
import { HomePage } from './home.page.js';
import type { PageQuery } from './page-query.js';
import { PagesService } from './pages.service.js';
import { ShownTimes } from './times.js';
import type { PageContext } from './page-context.js';

const NONE = {} as never;
const TYPES = { installed: [] } as never;
const FIRST_PAGE = { isByValue: false, isDescending: true, after: undefined, limit: 1, withFacets: false };
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
  const visitors = [1, 2].map(() => ({ isGone: () => areGone, chargeWork: () => {} }));
  await Promise.all(visitors.map((visitor) => pages.home(NONE, VISIT, visitor)));
  expect(seen.slice(0, 2)).toEqual([true, false]);
});

it('the digest of a list ignores its time of rendering, and nothing else, in the minute of a change too', async () => {
  const search = { choices: () => ({ regions: [], currencies: [] }) } as never;
  const times = new ShownTimes(new RegistryTime('UTC'), 'UTC');
  const changed = times.brief(0, 'uk').text;
  jest.spyOn(HomePage.prototype, 'show').mockImplementation((_query, { asOfUs }) => {
    return `changed ${changed}, as of ${times.brief(asOfUs as number, 'uk').text}`;
  });
  const digestAt = async (asOfUs: number): Promise<string> => {
    const lists = { page: () => ({ asOfUs }) } as never;
    const pages = new PagesService(lists, NONE, search, NONE, NONE, TYPES, NONE, times, NONE, NONE);
    return (await pages.home(NONE, VISIT, { isGone: () => false, chargeWork: () => {} })).digest;
  };
  const [inThatMinute, later] = [await digestAt(1_000_000), await digestAt(61_000_000)];
  expect(inThatMinute).toBe(later);
  jest.spyOn(HomePage.prototype, 'show').mockReturnValue('another list');
  expect(await digestAt(1_000_000)).not.toBe(later);
});

it('each client that shares a list pays for its searches after the first', async () => {
  jest.spyOn(HomePage.prototype, 'show').mockReturnValue('');
  const follower = { catchUp: () => Promise.resolve(true) } as never;
  const search = new AssetSearch({ isOn: true, read: () => Promise.resolve(undefined) } as never, follower);
  const find = (searcher: Searcher) => search.find(EVERYTHING, FIRST_PAGE, searcher);
  const page = async (_query: PageQuery, _visit: PageContext, searcher: Searcher) => {
    await Promise.all([find(searcher), find(searcher), find(searcher)]);
    return {};
  };
  const pages = new PagesService({ page } as never, NONE, search, NONE, NONE, TYPES, NONE, NONE, NONE, NONE);
  const charged: number[] = [];
  const visitors = [1, 2].map(() => ({ isGone: () => false, chargeWork: (bytes: number) => charged.push(bytes) }));
  await Promise.all(visitors.map((visitor) => pages.home(NONE, VISIT, visitor)));
  expect(charged).toEqual([2 * 65_536, 2 * 65_536]);
});

it('the tag of the Atom feed changes with the time zone and with the version, because its entries do', async () => {
  const changes = { newest: () => ({ changes: [{ id: 'a', modifiedUs: 1 }], next: undefined }) } as never;
  const tagIn = (timeZone: string, Service = PagesService): Promise<string> => {
    const times = new ShownTimes(new RegistryTime(timeZone), timeZone);
    const pages = new Service(NONE, changes, NONE, NONE, NONE, TYPES, NONE, times, NONE, NONE);
    return pages.changesTag(NONE, VISIT, { isGone: () => false });
  };
  const tag = await tagIn('UTC');
  expect(await tagIn('UTC')).toBe(tag);
  expect(await tagIn('Europe/Kyiv')).not.toBe(tag);
  jest.resetModules();
  jest.unstable_mockModule('../platform/config/version.js', () => ({ VERSION: 'the next one' }));
  expect(await tagIn('UTC', (await import('./pages.service.js')).PagesService)).not.toBe(tag);
});
