import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IndexHit } from '../database/search/index-query.js';
import type { IndexPosition } from '../database/search/indexed-asset.js';
import { type Facet, MOST_COUNTED, type SearchReader } from '../database/search/search-reader.js';
import { AssetSearch, type SearchPage } from './asset-search.js';
import type { CatchingUp } from './catching-up.js';
import type { IndexKeeper } from './index-keeper.js';
import { EVERYTHING, indexQueryOf } from './search-query.js';

const REGIONS = '["київ"]';
const FIRST = { isByValue: false, isDescending: true, after: undefined, limit: 10, withFacets: true };

let hits: IndexHit[];
/** How many searches have begun to read the index, and to count facets; how many of these did at the same moment. */
let [begun, begunCounting, counting, mostCounting] = [0, 0, 0, 0];
/** How long it takes to count facets. */
let facetsCounted: () => Promise<unknown>;
let search: AssetSearch;

async function* facets(): AsyncGenerator<Facet> {
  begunCounting++;
  mostCounting = Math.max(mostCounting, ++counting);
  await facetsCounted();
  counting--;
  yield { status: 'pending', type: 'basic', regions: REGIONS, n: 1 };
}

/** @param indexedUs up to where the index was when it was complete; it is up to 1 */
function searchOf(indexedUs = 1): AssetSearch {
  const reader = {
    inReadTransaction: <T>(read: (position: IndexPosition) => T): T => read({ epoch: 'epoch', us: 1 }),
    count: () => Promise.resolve(hits.length),
    hits: () => (begun++, Promise.resolve(hits)),
    facets,
    regionName: (key: string) => key,
  };
  const keeper = { isOn: true, reading: <T>(read: (one: SearchReader) => T): T => read(reader as never) };
  const catchingUp = { epoch: 'epoch', indexedUs, soon: () => Promise.resolve(true) };
  return new AssetSearch(keeper as IndexKeeper, catchingUp as unknown as CatchingUp);
}

beforeEach(() => {
  hits = [{ id: '1', modifiedUs: 1 }];
  [begun, begunCounting, counting, mostCounting] = [0, 0, 0, 0];
  facetsCounted = () => setImmediate();
  search = searchOf();
});

const find = (text: string): Promise<SearchPage | undefined> => search.find({ ...EVERYTHING, text }, FIRST);

it('an index that was emptied once it was complete is told as one that is not', async () => {
  search = searchOf(2);
  expect(await find('a')).toMatchObject({ isComplete: false, indexedUs: 1 });
});

it('a search is not begun for who has gone while it waited', async () => {
  const gone = { isGone: () => true, worked: () => undefined };
  await expect(search.find({ ...EVERYTHING, afterUs: 1 }, FIRST, gone)).rejects.toMatchObject({ status: 503 });
  expect(begun).toBe(0);
});

it.each([
  [MOST_COUNTED, true],
  [MOST_COUNTED + 1, false],
])('of %i hits the total is exact: %s', async (count, isTotalExact) => {
  hits = Array.from({ length: count }, (_, i) => ({ id: String(i), modifiedUs: i }));
  const found = await search.find({ ...EVERYTHING, text: 'a' }, { ...FIRST, limit: 2 });
  expect(found).toMatchObject({ total: MOST_COUNTED, isTotalExact });
});

it('a region without letters finds nothing beside others that are found', () => {
  expect(indexQueryOf({ ...EVERYTHING, region: ['---'] })).toBeUndefined();
  expect(indexQueryOf({ ...EVERYTHING, region: ['Київ', '---'] })?.choices).toEqual([['r:київ']]);
});

describe('facets', () => {
  it('are counted for one search after the other: brokers can make them large', async () => {
    const found = await Promise.all(['a', 'b', 'c'].map(find));
    for (const one of found) expect(one?.facets?.status).toEqual([['pending', 1]]);
    expect(mostCounting).toBe(1);
  });

  it('are paid for, and not counted on for who has gone: who stays counts them anew', async () => {
    const worked = jest.fn<(bytes: number) => void>();
    let hasGone = false;
    facetsCounted = () => Promise.resolve((hasGone = true));
    const query = { ...EVERYTHING, text: 'a' };
    const left = search.find(query, FIRST, { worked, isGone: () => hasGone });
    const stays = search.find(query, FIRST, { worked, isGone: () => false });
    const found = await Promise.allSettled([left, stays]);
    expect(found[0]).toMatchObject({ reason: { status: 503 } });
    expect(found[1]).toMatchObject({ value: { facets: { status: [['pending', 1]] } } });
    expect(worked.mock.calls).toEqual([[REGIONS.length], [REGIONS.length]]);
    expect(begunCounting).toBe(2);
  });
});
