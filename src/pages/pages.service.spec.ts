import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, it, jest } from '@jest/globals';
import type { Searcher } from '../search/facets.js';
import { AssetLists } from './asset-lists.js';
import { HomePage } from './home.page.js';
import { ListCounts } from './list-counts.js';
import { NewestChanges } from './newest-changes.js';
import type { PageQuery } from './page-query.js';
import { PagesService } from './pages.service.js';
import type { Visit } from './visit.js';

const TOGETHER = 4;

afterEach(() => {
  jest.restoreAllMocks();
});

interface Asked {
  pagesInATurn: number;
  isGone?: () => boolean;
  /** What a reading waits for, by how many have begun. */
  ready?: (read: number) => Promise<void>;
}

/** How many assets are read in each turn of the event loop, where several people ask for pages of different ones at the same moment. */
async function readInTurns({
  pagesInATurn,
  isGone = () => false,
  ready = () => Promise.resolve(),
}: Asked): Promise<number[]> {
  let read = 0;
  const assets = {
    getListed: async () => {
      await ready(++read);
      throw new Error('none');
    },
  };
  const none = {} as never;
  const types = { installed: [] } as never;
  const database = { dialect: { pagesInATurn } } as never;
  const pages = new PagesService(none, none, none, assets as never, none, types, none, none, none, none, database);
  const asked = Array.from({ length: TOGETHER }, (_, i) =>
    pages.asset({ name: `UA-${i}`, atUs: undefined }, {} as Visit, { isGone, worked: () => undefined }),
  );
  let isOver = false;
  const all = Promise.allSettled(asked).then(() => (isOver = true));
  const turns: number[] = [];
  while (!isOver) {
    const before = read;
    await turn();
    turns.push(read - before);
  }
  await all;
  return turns;
}

it('where a file is read within the turn, and that takes long, one page for people is read and shown in each', async () => {
  let nowMs = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 5));
  const turns = await readInTurns({ pagesInATurn: 1 });
  expect(Math.max(...turns)).toBe(1);
  expect(turns.filter((count) => count > 0)).toHaveLength(TOGETHER);
});

it('pages that wait for a server do not wait for each other', async () => {
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const ready = (read: number): Promise<void> => {
    if (read === TOGETHER) answer();
    return answered;
  };
  const turns = await readInTurns({ pagesInATurn: Infinity, ready });
  expect(turns.reduce((sum, count) => sum + count, 0)).toBe(TOGETHER);
});

it('no asset is read for who has gone meanwhile', async () => {
  expect(new Set(await readInTurns({ pagesInATurn: 1, isGone: () => true }))).toEqual(new Set([0]));
});

const NONE = {} as never;
const TYPES = { installed: [] } as never;
const VISIT = { language: 'uk', base: '', query: {} } as Visit;

it('each who is shown a list pays for what was counted beside it, which ends when all have gone', async () => {
  jest.spyOn(HomePage.prototype, 'show').mockReturnValue('');
  let areGone = false;
  const seen: boolean[] = [];
  const page = async (_query: PageQuery, _visit: Visit, searcher: Searcher) => {
    searcher.worked(70);
    await turn();
    for (areGone of [true, false]) seen.push(searcher.isGone());
    return {};
  };
  const search = { regions: () => [], currencies: () => [] } as never;
  const database = { dialect: { pagesInATurn: 1 } } as never;
  const lists = { page } as never;
  const pages = new PagesService(lists, NONE, search, NONE, NONE, TYPES, NONE, NONE, NONE, NONE, database);
  const visitors = [1, 2].map(() => ({ isGone: () => areGone, worked: jest.fn<(bytes: number) => void>() }));
  await Promise.all(visitors.map((visitor) => pages.home(NONE, VISIT, visitor)));
  expect(visitors.map(({ worked }) => worked.mock.calls)).toEqual([[[70]], [[70]]]);
  expect(seen.slice(0, 2)).toEqual([true, false]);
});

it('the search of an Atom feed is that of who asks for it, or of all who share it', async () => {
  const asked: unknown[] = [];
  let isGone = false;
  const find = (_query: object, _page: object, caller?: Searcher) => {
    for (isGone of [true, false]) asked.push(caller?.isGone());
    return Promise.resolve({ hits: [] });
  };
  const changes = new NewestChanges(NONE, { find } as never, NONE, TYPES);
  const database = { dialect: { pagesInATurn: 1 } } as never;
  const times = { print: () => '' } as never;
  const pages = new PagesService(NONE, changes, NONE, NONE, NONE, TYPES, NONE, times, NONE, NONE, database);
  const query = { query: {}, conditions: [] } as never;
  const visitor = { isGone: () => isGone, worked: () => undefined };
  const visit = { ...VISIT, root: '' };
  await pages.changesTag(query, visit, visitor);
  await pages.changesFeed(query, visit, visitor);
  expect(asked).toEqual([true, false, true, false]);
});

it('every search of a list, and of what is counted beside it, is that of who looks at it', async () => {
  const callers: unknown[] = [];
  const find = (_query: object, _page: object, caller: unknown) => {
    callers.push(caller);
    return Promise.resolve({ hits: [{ modifiedUs: 1, amount: null }], total: 1, isTotalExact: true, indexedUs: 1 });
  };
  const search = { find, regions: () => Promise.resolve([]) } as never;
  const summaries = { find: () => undefined } as never;
  const found = { find: () => Promise.resolve(undefined) } as never;
  const lists = new AssetLists(NONE, search, found, TYPES, summaries, new ListCounts(search, TYPES));
  const query = { query: { status: ['pending'], assetType: ['basic'], region: ['Київ'] }, after: { us: 2 } };
  const searcher = { isGone: () => false, worked: () => undefined };
  await lists.page(query as never, VISIT, searcher);
  expect(callers).toEqual(Array.from({ length: 5 }, () => searcher));
});
