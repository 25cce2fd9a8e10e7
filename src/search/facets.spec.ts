import { expect, it, jest } from '@jest/globals';
import type { IndexQuery } from '../database/search/index-query.js';
import { type Facet, MOST_COUNTED, type SearchReader } from '../database/search/search-reader.js';
import { countFacets } from './facets.js';
import { EVERYTHING, indexQueryOf, type SearchQuery } from './search-query.js';

/** An index of 50,000 assets that are all pending; of those that are looked at, one is active. */
const reader = {
  choices: () => [{ status: 'pending', type: 'basic', entries: 50_000 }],
  regions: () => [],
  regionName: (key: string) => key,
  facets: (): Facet[] => [{ status: 'active', type: 'basic', regions: '[]', n: 1 }],
} as unknown as SearchReader;

async function statesOf(chosen: Partial<SearchQuery>, count = MOST_COUNTED + 1): Promise<unknown> {
  const query = { ...EVERYTHING, ...chosen };
  const wanted = indexQueryOf(query);
  return wanted && (await countFacets(reader, wanted, { query, count })).status;
}

it.each<Partial<SearchQuery>>([{}, { status: ['pending'] }, { assetType: ['basic'] }, { region: ['Київ'] }])(
  'what is chosen among very many by state, type and region is counted already: %j',
  async (chosen) => {
    expect(await statesOf(chosen)).toEqual([['pending', 50_000]]);
    expect(await statesOf(chosen, 1)).toEqual([['active', 1]]);
  },
);

it.each<Partial<SearchQuery>>([
  { owner: 'broker' },
  { currency: 'UAH' },
  { classification: { scheme: 'CPV', code: '' } },
  { relatedLot: 'a'.repeat(32) },
  { custodian: ['1'] },
  { text: 'земля' },
  { afterUs: 1 },
  { region: ['Київ', 'Львів'] },
])('of what else is chosen the newest hits are looked at: %j', async (chosen) => {
  expect(await statesOf(chosen)).toEqual([['active', 1]]);
});

it('a region without letters finds nothing beside others that are found', () => {
  expect(indexQueryOf({ ...EVERYTHING, region: ['---'] })).toBeUndefined();
  expect(indexQueryOf({ ...EVERYTHING, region: ['Київ', '---'] })?.choices).toEqual([['r:київ']]);
});

it('regions that each hit has its own of are counted with turns for others, and the most frequent are told', async () => {
  const [hits, regions] = [1_000, 50];
  const each = Array.from({ length: hits }, (_, hit): Facet => {
    const own = Array.from({ length: regions - 1 }, (_key, i) => `${hit} ${i}`);
    return { status: 'active', type: 'basic', regions: JSON.stringify([...own, 'common']), n: 1 };
  });
  let [nowMs, turns] = [performance.now(), 0];
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => nowMs++);
  const count = (): unknown => (counting = setImmediate(() => (turns++, count())));
  let counting: NodeJS.Immediate;
  count();
  const query = { ...EVERYTHING, text: 'земля' };
  const many = { ...reader, facets: () => each } as unknown as SearchReader;
  const { region } = await countFacets(many, indexQueryOf(query) as IndexQuery, { query, count: hits });
  clearImmediate(counting!);
  clock.mockRestore();
  expect(turns).toBeGreaterThan(hits / 10);
  expect([region.length, region[0], region[1]]).toEqual([500, ['common', hits], ['0 0', 1]]);
});
