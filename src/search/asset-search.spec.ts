import { beforeEach, expect, it } from '@jest/globals';
import { type FoundPage, MAX_COUNTED, type AtPosition, type ReaderRequest } from '../database/search/index-answers.js';
import { AssetSearch, type SearchPage } from './asset-search.js';
import type { IndexFollower } from './index-follower.js';
import type { IndexSupervisor } from './index-supervisor.js';
import { EVERYTHING, indexQueryOf } from './search-query.js';

const FIRST = { isByValue: false, isDescending: true, after: undefined, limit: 10, withFacets: true };

let answer: AtPosition<FoundPage> | undefined;
let caughtUpUs: number;
let asked: ReaderRequest[];
let search: AssetSearch;

beforeEach(() => {
  [caughtUpUs, asked] = [1, []];
  const value = { hits: [], count: 0, isCountExact: true, facets: undefined };
  answer = { position: { epoch: 'epoch', us: 1, fromUs: -1 }, us: 1, value };
  const read = (one: ReaderRequest): Promise<unknown> => Promise.resolve((asked.push(one), answer));
  const catchUp = (): Promise<boolean> => Promise.resolve(true);
  const follower = { epoch: 'epoch', caughtUpUs, catchUp };
  Object.defineProperty(follower, 'caughtUpUs', { get: () => caughtUpUs });
  search = new AssetSearch({ isOn: true, read } as unknown as IndexSupervisor, follower as unknown as IndexFollower);
});

const find = (text = 'a'): Promise<SearchPage | undefined> => search.find({ ...EVERYTHING, text }, FIRST);
const at = (us: number, fromUs = -1): void => {
  answer = { ...(answer as AtPosition<FoundPage>), position: { epoch: 'epoch', us, fromUs }, us };
};

it('a complete index that was emptied since is reported as incomplete', async () => {
  expect(await find()).toMatchObject({ isComplete: true, indexedUs: 1 });
  caughtUpUs = 2;
  expect(await find()).toMatchObject({ isComplete: false, indexedUs: 1 });
});

it('an index being built is reported as incomplete, with the instant from which on it is complete', async () => {
  at(5, 3);
  expect(await find()).toMatchObject({ isComplete: false, indexedUs: -1, fromUs: 3 });
});

it('in the order of the feed an index being built answers only from the instant on where it is complete', async () => {
  at(5, 3);
  const follow = (us?: number): Promise<unknown> => {
    const after = us === undefined ? undefined : { us, amount: undefined };
    return search.find(EVERYTHING, { ...FIRST, isDescending: false, after });
  };
  for (const us of [undefined, 2]) await expect(follow(us)).rejects.toMatchObject({ status: 503 });
  expect(await follow(3)).toMatchObject({ fromUs: 3 });
  at(-1);
  await expect(follow()).rejects.toMatchObject({ status: 503 });
  caughtUpUs = -1;
  expect(await follow()).toMatchObject({ isComplete: true });
});

it('there are no answers from an index of another epoch, or while no thread runs', async () => {
  answer = { ...(answer as AtPosition<FoundPage>), position: { epoch: 'other', us: 1, fromUs: -1 } };
  expect(await find()).toBeUndefined();
  answer = undefined;
  expect([await find(), await search.choices()]).toEqual([undefined, { regions: [], currencies: [] }]);
});

it.each([
  { count: MAX_COUNTED, isCountExact: true, isTotalExact: true, exactTotal: MAX_COUNTED },
  { count: MAX_COUNTED + 1, isCountExact: false, isTotalExact: false, exactTotal: undefined },
  { count: 12_000, isCountExact: true, isTotalExact: false, exactTotal: 12_000 },
])(
  'for $count hits, counted exactly: $isCountExact, the API reports at most 10,000, and the pages the exact count',
  async ({ count, isCountExact, isTotalExact, exactTotal }) => {
    answer = { ...(answer as AtPosition<FoundPage>), value: { hits: [], count, isCountExact, facets: undefined } };
    const page = await find();
    expect(page).toMatchObject({ total: MAX_COUNTED, isTotalExact });
    expect(page?.exactTotal).toBe(exactTotal);
  },
);

it('a region without letters matches nothing, alone or among others', () => {
  expect(indexQueryOf({ ...EVERYTHING, region: ['---'] }, false)).toBeUndefined();
  expect(indexQueryOf({ ...EVERYTHING, region: ['Київ', '---'] }, false)?.choices).toEqual([['r:київ']]);
});
