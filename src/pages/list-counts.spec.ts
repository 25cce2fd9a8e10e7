import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestIndex } from '../../test/support/index-threads.js';
import { pageContext } from '../../test/support/page-context.js';
import { indexedAsset } from '../../test/support/indexed-asset.js';
import { AssetTypes } from '../asset-types/asset-types.js';
import * as installed from '../asset-types/installed.js';
import type { AtPosition, ReaderRequest } from '../database/search/index-answers.js';
import { AssetSearch, type SearchPage } from '../search/asset-search.js';
import type { IndexFollower } from '../search/index-follower.js';
import type { IndexSupervisor } from '../search/index-supervisor.js';
import { EVERYTHING } from '../search/search-query.js';
import { ownerToken, statusToken } from '../search/tokens.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { SearchQueryPipe } from '../search/search-query.pipe.js';
import { FacetLinks } from './facet-links.js';
import { FilterChoices } from './filter-choices.js';
import { ListCounts, type ShownCounts } from './list-counts.js';
import type { PageQuery } from './page-query.js';

/** More than the API's `total` counts. */
const PENDING = 11_000;
const COMPLETE = 1_000;
/** Of the pending ones. */
const OF_BROKER = 9_500;
const SEARCHER = { isGone: () => false };

const types = new AssetTypes(Object.values(installed));
let index: TestIndex;
let search: AssetSearch;

beforeAll(async () => {
  index = new TestIndex();
  await index.begin();
  const states = [...Array<string>(PENDING).fill('pending'), ...Array<string>(COMPLETE).fill('complete')];
  const assets = states.map((status, i) => ({
    ...indexedAsset(i + 1, [ownerToken(i < PENDING - OF_BROKER ? 'other' : 'broker'), statusToken(status)].join(' ')),
    status,
  }));
  await index.add(assets);
  const read = (asked: ReaderRequest): Promise<unknown> => index.reader.ask<AtPosition<unknown>>(asked);
  const follower = { epoch: 'epoch', caughtUpUs: assets.length, catchUp: () => Promise.resolve(true) };
  search = new AssetSearch({ isOn: true, read } as unknown as IndexSupervisor, follower as unknown as IndexFollower);
});
afterAll(() => index.end());

const queries = new SearchQueryPipe(types, new RegistryTime('Europe/Kyiv'));

async function countsOf(query: Partial<PageQuery['query']>, isAvailable = false): Promise<ShownCounts> {
  const asked = { query: { ...EVERYTHING, ...query }, isByValue: false, isDescending: true, isAvailable } as PageQuery;
  const page = { isByValue: false, isDescending: true, after: undefined, limit: 10, withFacets: true };
  const found = (await search.find(asked.query, page)) as SearchPage;
  return new ListCounts(search, queries, types).of(asked, found, SEARCHER);
}

it('more than ten thousand hits are counted exactly for filters by state, type and region only', async () => {
  const available = { count: PENDING, isExact: true };
  const everything = { count: PENDING + COMPLETE, isExact: true };
  expect(await countsOf({ status: ['pending'] })).toMatchObject({ hits: available, available, everything });
  expect(await countsOf({})).toMatchObject({ hits: everything, available, everything });
});

describe('more than ten thousand hits of another filter', () => {
  it('are a lower bound, as are the counts of their states', async () => {
    const more = { count: 10_000, isExact: false };
    const counts = await countsOf({ owner: 'broker' });
    expect(counts).toMatchObject({ hits: more, everything: more });
    const query = { conditions: [] } as unknown as PageQuery;
    const links = new FacetLinks(new FilterChoices(types)).show(query, counts, pageContext('en', '/'));
    expect(links?.text).toMatch(/Published<\/bdi> 9,000\+<[\s\S]*Sold[^<]*<\/bdi> 1,000\+</);
  });

  it('have a lower bound of available ones, or their exact number if these are listed', async () => {
    const newest = 10_000 - COMPLETE;
    expect((await countsOf({ owner: 'broker' })).available).toEqual({ count: newest, isExact: false });
    const available = { count: OF_BROKER, isExact: true };
    expect(await countsOf({ owner: 'broker', status: ['pending'] }, true)).toMatchObject({
      hits: available,
      available,
    });
  });
});
