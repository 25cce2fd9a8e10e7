import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../src/app.module.js';
import { loadConfig } from '../../src/config/config.js';
import type { AmountBound } from '../../src/database/search/index-query.js';
import { Database } from '../../src/database/database.js';
import type { RegistryRequest, RegistryResponse } from '../../src/http/exchange.js';
import { ListingController } from '../../src/listing/listing.controller.js';
import { AssetSearch } from '../../src/search/asset-search.js';
import { EVERYTHING, type SearchPageQuery, type SearchQuery } from '../../src/search/search-query.js';
import { RegistryTime } from '../../src/time/registry-time.js';
import { quantile } from '../../test/reliability/quantile.js';
import { ASSETS } from '../../test/support/assets.js';
import { Random } from '../../test/support/random.js';
import { type DataSet, SEED, TIME_ZONE } from '../data-set/data-set.js';

/** Of a page, and whether there are more. */
const LIMIT = 26;

type Ask = (beforeUs: number) => Promise<number>;

/** Asks each query in turn, at another place of the feed in each round, and prints what it took. */
export async function compareQueries(
  databaseUrl: string,
  index: string,
  dataSet: DataSet,
  rounds: number,
): Promise<void> {
  const config = loadConfig({ DATABASE_URL: databaseUrl, SEARCH_INDEX: index, LOG_LEVEL: 'warn' });
  const context = await NestFactory.createApplicationContext(AppModule.with(config), { logger: false });
  try {
    await context.get(Database).open();
    const search = context.get(AssetSearch);
    const asks = new Map<string, Ask>([
      ['a page of the listing', listing(context.get(ListingController, { strict: false }))],
    ]);
    for (const [name, query, page = {}] of queriesOn(dataSet))
      asks.set(name, async (us) => {
        const after = { us, amount: undefined };
        return (await search.find({ ...EVERYTHING, ...query }, { ...PAGE, after, ...page }))?.hits.length ?? 0;
      });
    const times = await ask(asks, dataSet, rounds);
    console.log('\n| Query | hits | p50 ms | p99 ms | max ms |\n| - | -: | -: | -: | -: |');
    for (const [name, { hits, ms }] of times) {
      const [median, p99, most] = [0.5, 0.99, 1].map((share) => quantile(ms, share).toFixed(2));
      console.log(`| ${name} | ${hits} | ${median} | ${p99} | ${most} |`);
    }
  } finally {
    await context.close();
  }
}

const PAGE: SearchPageQuery = {
  isByValue: false,
  isDescending: true,
  after: undefined,
  limit: LIMIT,
  withFacets: false,
};

type Asked = [string, Partial<SearchQuery>, Partial<SearchPageQuery>?];

/** The first page alone: its cursor is no instant. */
const BY_VALUE: Partial<SearchPageQuery> = { isByValue: true, isDescending: false, after: undefined };
const bound = (amount: number): AmountBound => ({ amount, isInside: true });
const inUah = { currency: 'UAH' };

/** Filters that are no words, counts and the order by value. */
const CHOSEN_AND_COUNTED: Asked[] = [
  ['any word that half of all have, with facets', { text: 'діл' }, { withFacets: true }],
  ['state and region, with facets', { status: ['active'], region: ['Одеська область'] }, { withFacets: true }],
  ['everything, with facets', {}, { withFacets: true }],
  ['a price range', { ...inUah, valueFrom: bound(10_000), valueTo: bound(50_000) }],
  [
    'a price range in a region, the cheapest first',
    { ...inUah, region: ['Одеська область'], valueTo: bound(50_000) },
    BY_VALUE,
  ],
  ['everything in a currency, the cheapest first', inUah, BY_VALUE],
  ['a rare word, the cheapest first', { ...inUah, text: '7.0411' }, BY_VALUE],
];

function listing(controller: ListingController): Ask {
  const time = new RegistryTime(TIME_ZONE);
  return async (offsetUs) => {
    const offset = encodeURIComponent(time.print(offsetUs));
    const url = `${ASSETS}?limit=${LIMIT}&descending=1&offset=${offset}`;
    await controller.list({ url, headers: { host: 'registry.example' } } as RegistryRequest, {} as RegistryResponse);
    return LIMIT;
  };
}

/** Usual ones, then those that cost most: words that many assets have and that never meet, so that everything is looked through. */
function queriesOn(dataSet: DataSet): Asked[] {
  const { id, assetId } = dataSet.assetOf(dataSet.size - 2);
  const exclusive = 'земельна нежитлове';
  return [
    ['nothing chosen', {}],
    ['state', { status: ['active'] }],
    ['state, type and region', { status: ['deleted'], assetType: ['basic'], region: ['Одеська область'] }],
    ['three letters that half of all begin with', { text: 'діл' }],
    ['three words', { text: 'земельна ділянка бориспіль' }],
    [
      'frequent words, rare state and region',
      { text: 'земельна площею', status: ['deleted'], region: ['Одеська область'] },
    ],
    ['a rare word', { text: '7.0411' }],
    ['an assetID', { text: assetId }],
    ['its day', { text: assetId.slice(0, 13) }],
    ['an id', { text: id }],
    ...CHOSEN_AND_COUNTED,
    ['a word that nobody uses', { text: 'дирижабль' }],
    ['two frequent words that never meet', { text: exclusive }],
    ['the same with state and region', { text: exclusive, status: ['pending'], region: ['Одеська область'] }],
    ['ten frequent words that never meet', { text: `${exclusive} площею область зем неж пло обл земе нежи` }],
    [
      'the same, oldest first',
      { text: `${exclusive} площею область зем неж пло обл земе нежи` },
      { isDescending: false },
    ],
  ];
}

async function ask(
  asks: ReadonlyMap<string, Ask>,
  dataSet: DataSet,
  rounds: number,
): Promise<Map<string, { hits: number; ms: number[] }>> {
  const random = new Random(SEED);
  const found = new Map([...asks.keys()].map((name) => [name, { hits: 0, ms: [] as number[] }]));
  for (let round = 0; round < rounds; round++) {
    // Every other page is the first one.
    const place = round % 2 === 0 ? dataSet.size : random.int(1, dataSet.size);
    for (const [name, one] of asks) {
      const began = performance.now();
      const hits = await one(dataSet.instantOf(place));
      const result = found.get(name) as { hits: number; ms: number[] };
      result.ms.push(performance.now() - began);
      result.hits = Math.max(result.hits, hits);
    }
  }
  return found;
}
