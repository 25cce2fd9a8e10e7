import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IndexedAsset } from './indexed-asset.js';
import type { AmountBound, ChosenFacets, IndexQuery } from './index-query.js';
import { SearchFile } from './search-file.js';
import { SearchIndex } from './search-index.js';
import { type Facet, SearchReader } from './search-reader.js';
import { WholeFacets } from './whole-facets.js';

const STATES = ['pending', 'active', 'deleted'];
const TYPES = ['basic', 'bounce'];
const REGIONS = ['київ', 'львів', 'одеса'];
const COUNT = 600;
/** More than are looked at each: lists of terms are read where nothing else helps. */
const MOST_FACETS = 1_000;

/** What the index has, by IDs. */
const assets = new Map<string, IndexedAsset>();
const folder = mkdtempSync(join(tmpdir(), 'whole-facets-'));
let file: SearchFile;
let reader: SearchReader;

/** One asset in three has two regions, one in five no amount. */
function asset(i: number): IndexedAsset {
  const [status = '', assetType = ''] = [STATES[i % 3], TYPES[i % 2]];
  const names = [REGIONS[i % 7], ...(i % 3 === 0 ? [REGIONS[(i + 1) % 3]] : [])].filter((name) => name !== undefined);
  const regions = [...new Set(names)].map((key) => ({ key, name: key }));
  const value = i % 5 === 0 ? undefined : { currency: i % 4 === 0 ? 'EUR' : 'UAH', amount: (i * 7_919) % 101 };
  const terms = [`s:${status}`, `t:${assetType}`, ...regions.map(({ key }) => `r:${key}`)];
  if (value !== undefined) terms.push(`v:${value.currency}`);
  const days = { createdDay: '2026-11-21', changedDay: '2026-11-22' };
  const words = 'w:all';
  return {
    id: String(i),
    modifiedUs: i,
    ...days,
    status,
    assetType,
    regions,
    value,
    words,
    choices: terms.join(' '),
    erasedUs: 0,
  };
}

beforeAll(() => {
  file = SearchFile.open(join(folder, 'index.sqlite'), 'one', 0);
  const index = new SearchIndex(file);
  index.begin(index.position(), 'epoch');
  const add = (some: IndexedAsset[]): void => {
    index.add(index.position(), some);
    for (const one of some) assets.set(one.id, one);
  };
  for (const first of [1, 301]) add(Array.from({ length: 300 }, (_, i) => asset(first + i)));
  // Some are changed: they leave their facets.
  const changed = Array.from({ length: 90 }, (_, i) => ({
    ...asset(3 * i + 1),
    id: String(i + 1),
    modifiedUs: COUNT + i + 1,
  }));
  add(changed);
  reader = new SearchReader(file.openReader());
});
afterAll(() => {
  reader.close();
  file.close();
  rmSync(folder, { recursive: true });
});

const bound = (amount: number): AmountBound => ({ amount, isInside: amount % 2 === 0 });

/** The same query, by whole facets and by lists of terms. */
function bothWays(facets: ChosenFacets, rest: Partial<IndexQuery>): [IndexQuery, IndexQuery] {
  const { currency, from, to } = rest;
  const lists = [
    facets.status.map((key) => `s:${key}`),
    facets.assetType.map((key) => `t:${key}`),
    facets.region.map((key) => `r:${key}`),
  ];
  const choices = lists.filter((list) => list.length > 0);
  const always = { afterUs: -1, beforeUs: Number.MAX_SAFE_INTEGER };
  const isPriced = currency !== undefined && from === undefined && to === undefined;
  const inCurrency = { currency, currencyTerm: isPriced ? `v:${currency}` : undefined, from, to };
  const query = { words: undefined, choices, facets, isByFacets: true, ...inCurrency, ...always };
  return [query, { ...query, isByFacets: false }];
}

async function told(query: IndexQuery): Promise<unknown> {
  return reader.inReadTransaction(async () => {
    const count = await reader.count(query);
    const facets = (await allOf(reader.facets(query, count))).map((facet) => JSON.stringify(facet));
    const pages = [];
    for (const isByAmount of query.currency === undefined ? [false] : [false, true])
      for (const direction of ['ASC', 'DESC'] as const) {
        const page = { isByAmount, direction, after: undefined, limit: 20 };
        const hits = await reader.hits(query, page, count);
        const last = hits.at(-1);
        const after = last && { us: last.modifiedUs, amount: last.amount };
        pages.push(hits, await reader.hits(query, { ...page, after }, count));
      }
    return { count, facets: facets.toSorted(), pages };
  });
}

const CHOSEN: ChosenFacets[] = [[], ['active', 'deleted']].flatMap((status) =>
  [[], ['basic']].flatMap((assetType) =>
    [[], ['львів', 'одеса'], ['полтава']].map((region) => ({ status, assetType, region })),
  ),
);

describe('what whole facets tell is what lists of terms tell', () => {
  it.each(CHOSEN)('of $status $assetType $region', async (chosen) => {
    const rests: Partial<IndexQuery>[] = [
      {},
      { currency: 'UAH' },
      { currency: 'EUR', from: bound(8) },
      { currency: 'UAH', from: bound(7), to: bound(60) },
      { currency: 'UAH', to: bound(4) },
      { currency: 'USD' },
    ];
    for (const rest of rests) {
      const [byFacets, byTerms] = bothWays(chosen, rest);
      const expected = await told(byTerms);
      expect(await told(byFacets)).toEqual(expected);
    }
  });
});

const allOf = (facets: AsyncIterable<Facet>): Promise<Facet[]> => Readable.from(facets).toArray();
const ALL_WORDS = '"w:all"';

describe('the facets of hits are those that a filter over all assets counts', () => {
  const isAny = (chosen: readonly string[], ...values: string[]): boolean =>
    chosen.length === 0 || values.some((value) => chosen.includes(value));
  const facetsOf = (facets: readonly Facet[]): Record<string, number> =>
    Object.fromEntries(facets.map(({ n, ...facet }) => [JSON.stringify(facet), n]));

  it.each(CHOSEN)('of $status $assetType $region', async (chosen) => {
    const expected: Record<string, number> = {};
    for (const { status, assetType, regions } of assets.values()) {
      const keys = regions.map(({ key }) => key);
      if (!isAny(chosen.status, status) || !isAny(chosen.assetType, assetType) || !isAny(chosen.region, ...keys))
        continue;
      const facet = JSON.stringify({ status, type: assetType, regions: JSON.stringify(keys) });
      expected[facet] = (expected[facet] ?? 0) + 1;
    }
    for (const query of bothWays(chosen, {}).flatMap((one) => [one, { ...one, words: ALL_WORDS, isByFacets: false }])) {
      const count = await reader.count(query);
      expect(facetsOf(await allOf(reader.facets(query, count)))).toEqual(expected);
      const page = { isByAmount: false, direction: 'DESC' as const, after: undefined, limit: COUNT };
      expect(facetsOf(await allOf(reader.facets(query, count, await reader.hits(query, page, count))))).toEqual(
        expected,
      );
    }
  });
});

it('a facet that no entry has any more is forgotten', () => {
  const none =
    'SELECT COUNT(*) FROM facet WHERE entries <> (SELECT COUNT(*) FROM entry WHERE entry.facet = facet.number)';
  expect(file.values(none)).toEqual([0]);
  expect(file.values('SELECT MIN(entries) > 0 FROM facet')).toEqual([1]);
});

it('lists of terms are read where there are too many', async () => {
  const many = SearchFile.open(join(folder, 'many.sqlite'), 'one', 0);
  const index = new SearchIndex(many);
  index.begin(index.position(), 'epoch');
  const regions = (i: number) => [{ key: `r${i}`, name: `R${i}` }];
  index.add(
    index.position(),
    Array.from({ length: MOST_FACETS + 1 }, (_, i) => ({ ...asset(i + 1), regions: regions(i), choices: 's:pending' })),
  );
  const [query] = bothWays({ status: ['pending'], assetType: [], region: [] }, {});
  expect(WholeFacets.of(many, query)).toBeUndefined();
  const reading = new SearchReader(many.openReader());
  expect(await reading.count(query)).toBe(MOST_FACETS + 1);
  reading.close();
  many.close();
});
