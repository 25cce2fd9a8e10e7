import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IndexHit, IndexPageQuery, IndexQuery } from '../database/search/index-query.js';
import type { IndexPosition } from '../database/search/indexed-asset.js';
import { type Facet, MOST_COUNTED, type SearchReader } from '../database/search/search-reader.js';
import { AssetSearch, type SearchPage } from './asset-search.js';
import type { CatchingUp } from './catching-up.js';
import type { IndexKeeper } from './index-keeper.js';
import { EVERYTHING } from './search-query.js';

const COUNT = 20;
const PLACES = 4;
/** A search that holds the event loop leaves so many to others. */
const TURNS_OF_ONE = 9;

/** The `afterUs` of the searches that have begun to read the index, in this order. */
let begun: number[];
let search: AssetSearch;
/** Up to where the index was when it was complete, and up to where it is. */
let indexedUs: number;
/** How often the feed was read for the index. */
let caughtUp: number;
let readUs: number;
/** What is found, and how often it was counted. */
let hits: IndexHit[];
let counted: number;
/** Of the pages that were given to be counted on from, how many hits each had. */
let countedFrom: (number | undefined)[];
/** How a search whose `afterUs` is this works on the index. */
let work: (afterUs: number) => Promise<void>;
/** How many searches count facets now, at most did, and have begun to. */
let [counting, mostCounting, begunCounting] = [0, 0, 0];
/** How long that takes. */
let facetsCounted: () => Promise<unknown> = turn;
/** The regions of each facet. */
let regions: string;

/** The hits of which they were counted, where these were given. */
let facetsOf: (readonly IndexHit[] | undefined)[];

async function* facets(_: IndexQuery, __: number, all?: readonly IndexHit[]): AsyncGenerator<Facet> {
  facetsOf.push(all);
  mostCounting = Math.max(mostCounting, ++counting);
  begunCounting++;
  await facetsCounted();
  counting--;
  yield { status: 'pending', type: 'basic', regions, n: 1 };
}

beforeEach(() => {
  begun = [];
  [indexedUs, caughtUp] = [1, 0];
  readUs = 1;
  hits = [];
  regions = '["київ"]';
  counted = 0;
  countedFrom = [];
  facetsOf = [];
  work = () => Promise.resolve();
  search = searchOf();
});
afterEach(() => {
  jest.restoreAllMocks();
});

function searchOf(): AssetSearch {
  const reader = {
    inReadTransaction: <T>(read: (position: IndexPosition) => T): T => read({ epoch: 'epoch', us: readUs }),
    count: (_query: IndexQuery, first?: { hits: readonly IndexHit[] }) => {
      counted++;
      countedFrom.push(first?.hits.length);
      return Promise.resolve(hits.length);
    },
    hits: async ({ afterUs }: IndexQuery, { limit }: IndexPageQuery) => {
      begun.push(afterUs);
      await work(afterUs);
      return hits.slice(0, limit);
    },
    facets,
    regionName: (key: string) => key,
    regions: () => [{ name: 'Одеська область' }],
    tallies: () => [{ key: 'UAH', entries: 1 }],
  };
  const keeper = { isOn: true, reading: <T>(read: (one: SearchReader) => T): T => read(reader as never) };
  const catchingUp = { epoch: 'epoch', indexedUs, soon: () => Promise.resolve(++caughtUp > 0) };
  return new AssetSearch(keeper as IndexKeeper, catchingUp as CatchingUp);
}

/** The page that most ask for. */
const FIRST = { isByValue: false, isDescending: true, after: undefined, limit: 10, withFacets: false };

const find = (afterUs: number): Promise<SearchPage | undefined> => search.find({ ...EVERYTHING, afterUs }, FIRST);
const together = (count: number): Promise<SearchPage | undefined>[] => Array.from({ length: count }, (_, i) => find(i));

/** How many began in each turn of the event loop, in as many as so many searches take. */
async function beganInTurns(searches: number): Promise<number[]> {
  const counts: number[] = [];
  for (let i = 0; i < searches * TURNS_OF_ONE; i++) {
    const before = begun.length;
    await turn();
    counts.push(begun.length - before);
  }
  return counts;
}

describe('searches that come together, and each hold the event loop', () => {
  beforeEach(() => {
    let nowMs = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 5));
  });

  it('begin each in a turn of its own, in the order of their coming', async () => {
    const all = together(COUNT);
    const counts = await beganInTurns(COUNT + 2);
    expect(Math.max(...counts)).toBe(1);
    expect(begun).toEqual(Array.from({ length: COUNT }, (_, i) => i));
    for (const page of await Promise.all(all))
      expect(page).toMatchObject({ hits: [], total: 0, isTotalExact: true, isComplete: true, indexedUs: 1 });
  });

  it('begin so too when they have waited for one that takes long', async () => {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    work = (afterUs) => (afterUs < PLACES ? ended : Promise.resolve());
    const all = together(COUNT);
    await beganInTurns(COUNT);
    expect(begun).toHaveLength(PLACES);
    end();
    expect(Math.max(...(await beganInTurns(COUNT)))).toBe(1);
    await Promise.all(all);
    expect(begun).toHaveLength(COUNT);
  });
});

describe('while all places are taken by searches that take long', () => {
  const findAmong = (text: string): Promise<SearchPage | undefined> =>
    search.find({ ...EVERYTHING, text }, { ...FIRST, withFacets: text.startsWith('facets') });
  let end: () => void;
  let slow: Promise<unknown>;

  beforeEach(async () => {
    hits = [{ id: '1', modifiedUs: 1 }];
    for (const text of ['a', 'facets']) await findAmong(text);
    const ended = new Promise<void>((resolve) => (end = resolve));
    work = () => ended;
    begun = [];
    slow = Promise.all(together(PLACES));
    while (begun.length < PLACES) await turn();
  });

  it.each(['a', 'facets'])('what is kept is answered: %s', async (text) => {
    expect(await findAmong(text)).toMatchObject({ hits, total: 1, indexedUs: 1 });
    end();
    await slow;
    expect(begun).toHaveLength(PLACES);
  });

  it('what is there to be chosen from is told', async () => {
    expect(await Promise.all([search.regions(), search.currencies()])).toEqual([['Одеська область'], ['UAH']]);
    end();
    await slow;
  });

  it('what is not kept any more, as the index has moved on meanwhile, waits for one', async () => {
    [readUs, caughtUp] = [2, 0];
    const found = findAmong('a');
    for (let i = 0; i < 3 * TURNS_OF_ONE; i++) await turn();
    expect(begun).toHaveLength(PLACES);
    end();
    expect(await found).toMatchObject({ hits, total: 1, indexedUs: 2 });
    expect([begun.length, caughtUp]).toEqual([PLACES + 1, 1]);
    await slow;
  });
});

it('an index that was emptied once it was complete is told as one that is not', async () => {
  indexedUs = 2;
  search = searchOf();
  expect(await find(0)).toMatchObject({ isComplete: false, indexedUs: 1 });
});

describe('hits are counted where a page does not tell how many there are', () => {
  const page = { ...FIRST, limit: 2 };
  const query = { ...EVERYTHING, text: 'земля' };
  const hit = (us: number): IndexHit => ({ id: String(us), modifiedUs: us });

  it('a first page that is not full has them all', async () => {
    hits = [hit(1)];
    expect(await search.find(query, page)).toMatchObject({ hits, total: 1 });
    expect(counted).toBe(0);
  });

  it('a full one may have more behind it, and so may a later one, and one by value', async () => {
    hits = [hit(2), hit(1)];
    for (const other of [page, { ...page, after: { us: 3, amount: undefined } }, { ...page, isByValue: true }])
      await search.find({ ...query, text: JSON.stringify(other) }, other);
    expect(counted).toBe(3);
    expect(countedFrom).toEqual([2, undefined, undefined]);
  });

  it('where it is known that there are none, none are looked for', async () => {
    const none = { total: 0, hits: [], facets: { status: [], assetType: [], region: [] } };
    for (let i = 0; i < 3; i++) expect(await search.find(query, { ...page, withFacets: true })).toMatchObject(none);
    expect(begun).toHaveLength(1);
  });

  it('a page that was found is not looked for again, as long as the index is the same', async () => {
    hits = [hit(3), hit(2), hit(1)];
    const pages = [page, { ...page, isDescending: false }, { ...page, limit: 3 }, { ...page, isByValue: true }];
    for (const one of [...pages, ...pages])
      expect(await search.find(query, one)).toMatchObject({ hits: hits.slice(0, one.limit), total: 3 });
    expect(begun).toHaveLength(pages.length);
    hits = [hit(4)];
    readUs = 4;
    for (const one of pages) expect(await search.find(query, one)).toMatchObject({ hits, total: 1 });
  });

  it.each([
    { pages: 1_001, length: 1, isKept: true },
    { pages: 101, length: 50_000, isKept: false },
  ])('$pages pages of a query with $length characters are kept: $isKept', async ({ pages, length, isKept }) => {
    hits = [hit(2), hit(1)];
    const asked = { ...query, text: 'x'.repeat(length) };
    const some = Array.from({ length: pages }, (_, us) => ({ ...page, after: { us, amount: undefined } }));
    for (const one of [...some, ...some.slice(0, 1)]) await search.find(asked, one);
    expect(begun).toHaveLength(isKept ? pages : pages + 1);
  });

  it.each([
    { searches: 100, isKept: true },
    { searches: 250, isKept: false },
  ])('counts of $searches searches with 500 regions each are kept: $isKept', async ({ searches, isKept }) => {
    hits = [hit(1)];
    regions = JSON.stringify(Array.from({ length: 500 }, (_, i) => String(i)));
    begunCounting = 0;
    for (let i = 0; i < 2 * searches; i++)
      await search.find({ ...query, text: String(i % searches) }, { ...page, withFacets: true });
    expect(begunCounting).toBe(isKept ? searches : 2 * searches);
  });
});

it('a search is not begun for who has gone while it waited for its turn', async () => {
  const gone = { isGone: () => true, worked: () => undefined };
  await expect(search.find({ ...EVERYTHING, afterUs: 1 }, FIRST, gone)).rejects.toMatchObject({ status: 503 });
  expect(begun).toEqual([]);
});

describe('where there are more hits than are counted since an instant', () => {
  const page = { ...FIRST, limit: 2, withFacets: true };
  const findSince = (afterUs: number, text = 'a', withFacets = true): Promise<SearchPage | undefined> =>
    search.find({ ...EVERYTHING, text, afterUs }, { ...page, withFacets });

  beforeEach(() => {
    hits = Array.from({ length: MOST_COUNTED + 1 }, (_, i) => ({ id: String(i), modifiedUs: i }));
    begunCounting = 0;
  });

  it('there are more since an earlier one, too, of which the newest are the same', async () => {
    const found = [await findSince(5, 'a', false)];
    for (const us of [3, 5, 4, 0]) found.push(await findSince(us));
    for (const one of found) expect(one).toMatchObject({ total: MOST_COUNTED, isTotalExact: false });
    for (const one of found.slice(1)) expect(one?.facets?.status).toEqual([['pending', 1]]);
    expect([counted, begunCounting, begun]).toEqual([1, 1, [5, 3, 4, 0]]);
  });

  it('all else is counted: since a later instant, without one, another query, another index', async () => {
    await findSince(5);
    for (const [us, text] of [[6], [-1], [5, 'b']] as const) await findSince(us, text);
    readUs = 2;
    await findSince(5);
    expect([counted, begunCounting]).toEqual([5, 5]);
  });

  it('fewer hits say nothing of an earlier instant', async () => {
    hits = hits.slice(1);
    await findSince(5);
    hits = hits.slice(1);
    expect(await findSince(4)).toMatchObject({ total: MOST_COUNTED - 1, isTotalExact: true });
  });
});

describe('facets', () => {
  const page = { ...FIRST, withFacets: true };
  const findFacets = (text: string): Promise<SearchPage | undefined> => search.find({ ...EVERYTHING, text }, page);

  beforeEach(() => {
    hits = [{ id: '1', modifiedUs: 1 }];
    begunCounting = 0;
  });

  it('are counted for one search after the other: brokers can make them large', async () => {
    const found = await Promise.all(['a', 'b', 'c'].map(findFacets));
    for (const one of found) expect(one?.facets?.status).toEqual([['pending', 1]]);
    expect(mostCounting).toBe(1);
  });

  it.each([
    { kept: 1, after: undefined, ofHits: true },
    { kept: 10, after: undefined, ofHits: true },
    { kept: 11, after: undefined, ofHits: false },
    { kept: 2, after: { us: 3, amount: undefined }, ofHits: false },
  ])('of a page that was found, with $kept hits, after $after: of these: $ofHits', async ({ kept, after, ofHits }) => {
    hits = Array.from({ length: kept }, (_, i) => ({ id: String(i), modifiedUs: i }));
    for (const withFacets of [false, true])
      await search.find({ ...EVERYTHING, text: 'a' }, { ...page, after, withFacets });
    expect(facetsOf).toEqual([ofHits ? hits : undefined]);
  });

  it('are counted once where several ask for the same', async () => {
    const found = await Promise.all(['a', 'a', 'b', 'a'].map(findFacets));
    for (const one of found) expect(one?.facets?.status).toEqual([['pending', 1]]);
    expect(begunCounting).toBe(2);
  });

  it('are paid for, and not counted on for who has gone: who stays counts them anew', async () => {
    const worked = jest.fn<(bytes: number) => void>();
    let hasGone = false;
    facetsCounted = () => Promise.resolve((hasGone = true));
    const query = { ...EVERYTHING, text: 'a' };
    const left = search.find(query, page, { worked, isGone: () => hasGone });
    const stays = search.find(query, page, { worked, isGone: () => false });
    const found = await Promise.allSettled([left, stays]);
    facetsCounted = turn;
    expect(found[0]).toMatchObject({ reason: { status: 503 } });
    expect(found[1]).toMatchObject({ value: { facets: { status: [['pending', 1]] } } });
    expect(worked.mock.calls).toEqual([[regions.length], [regions.length]]);
    expect(begunCounting).toBe(2);
  });

  it('are not begun for who has gone while those of others were counted', async () => {
    let hasGone = false;
    facetsCounted = async () => {
      while (begun.length < 2) await turn();
      await turn();
      hasGone = true;
    };
    const stays = findFacets('a');
    const left = search.find({ ...EVERYTHING, text: 'b' }, page, { worked: () => undefined, isGone: () => hasGone });
    await expect(left).rejects.toMatchObject({ status: 503 });
    await stays;
    facetsCounted = turn;
    expect(begunCounting).toBe(1);
  });

  it('of some that take long leave places to searches without them', async () => {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    facetsCounted = () => ended;
    const slow = Array.from({ length: 2 * PLACES }, (_, i) => findFacets(String(i)));
    expect(await find(0)).toMatchObject({ total: 1 });
    end();
    await Promise.all(slow);
    facetsCounted = turn;
  });
});
