import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestIndex } from '../../../test/support/index-threads.js';
import { indexedAsset } from '../../../test/support/indexed-asset.js';
import { Random } from '../../../test/support/random.js';
import { type AmountSum, MAX_COUNTED, type QueryTotals } from './index-answers.js';
import type { AmountBound, IndexPageQuery, IndexQuery } from './index-query.js';
import type { IndexedAsset } from './indexed-asset.js';

const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const QUERIES = 240;
const STATES = ['pending', 'active', 'deleted'];
const TYPES = ['basic', 'bounce'];
const REGIONS = ['київ', 'львів', 'одеса'];
const WORDS = ['w:one', 'w:two', 'w:three'];
/** More than MAX_LOOKED_UP, above which amounts are checked hit by hit. */
const MANY = 60_000;

const NOTHING_CHOSEN = { status: [], assetType: [], region: [] };

const random = new Random(SEED);
const some = <T>(values: readonly T[], chance: number): T[] => values.filter(() => random.chance(chance));

/** A random asset: one in five has no value, and one in ten of the others a currency without an amount. */
function asset(number: number, us: number): IndexedAsset {
  const [status, assetType] = [random.pick(STATES), random.pick(TYPES)];
  const regions = some(REGIONS, 0.4).map((key) => ({ key, name: random.chance(0.7) ? key : key.toUpperCase() }));
  const currency = random.pick(['UAH', 'EUR', 'UAH', 'EUR', undefined]);
  const hasAmount = currency !== undefined && random.chance(0.9);
  const value = hasAmount ? { currency, amount: random.int(0, 100) / 2 } : undefined;
  const chosen = [`s:${status}`, `t:${assetType}`, ...regions.map(({ key }) => `r:${key}`), ...some(WORDS, 0.5)];
  const terms = [...chosen, ...(currency === undefined ? [] : [`v:${currency}`])].join(' ');
  return { ...indexedAsset(number, terms, us), status, assetType, regions, value };
}

/** A query, and the same as a filter. */
interface Asked {
  query: Partial<IndexQuery>;
  fits: (asset: IndexedAsset) => boolean;
}

function randomQuery(most: number): Asked {
  const [status, assetType, region] = [some(STATES, 0.3), some(TYPES, 0.2), some(REGIONS, 0.2)];
  const word = random.chance(0.4) ? random.pick(WORDS) : undefined;
  const currency = random.chance(0.5) ? random.pick(['UAH', 'EUR']) : undefined;
  const [from, to] = [randomBound(), randomBound()];
  const [afterUs, beforeUs] = [
    random.chance(0.2) ? random.int(0, most) : -1,
    random.chance(0.2) ? random.int(0, most) : most + 1,
  ];
  const isOfAmounts = currency !== undefined && random.chance(0.7);
  const ofCurrency = currency === undefined || isOfAmounts ? [] : [`v:${currency}`];
  const lists = [
    status.map((one) => `s:${one}`),
    assetType.map((one) => `t:${one}`),
    region.map((one) => `r:${one}`),
    ofCurrency,
  ];
  const isOfAll = word === undefined && currency === undefined && afterUs === -1 && beforeUs > most;
  const isAny = (chosen: readonly string[], ...values: string[]): boolean =>
    chosen.length === 0 || values.some((value) => chosen.includes(value));
  return {
    query: {
      words: word && `"${word}"`,
      choices: lists.filter((list) => list.length > 0),
      facets: isOfAll ? { status, assetType, region } : undefined,
      amounts: isOfAmounts ? { currency, from, to } : undefined,
      afterUs,
      beforeUs: beforeUs > most ? Number.MAX_SAFE_INTEGER : beforeUs,
    },
    fits: (one) =>
      isAny(status, one.status) &&
      isAny(assetType, one.assetType) &&
      isAny(region, ...one.regions.map(({ key }) => key)) &&
      (word === undefined || one.terms.split(' ').includes(word)) &&
      (currency === undefined || one.terms.split(' ').includes(`v:${currency}`)) &&
      (!isOfAmounts || isInside(one.value?.amount, from, to)) &&
      one.modifiedUs > afterUs &&
      one.modifiedUs < beforeUs,
  };
}

function randomBound(): AmountBound | undefined {
  return random.chance(0.5) ? { amount: random.int(0, 50), isInside: random.chance(0.5) } : undefined;
}

function isInside(amount: number | undefined, from: AmountBound | undefined, to: AmountBound | undefined): boolean {
  if (amount === undefined) return false;
  const isAbove = from === undefined || amount > from.amount || (from.isInside && amount === from.amount);
  return isAbove && (to === undefined || amount < to.amount || (to.isInside && amount === to.amount));
}

function facetsOf(assets: readonly IndexedAsset[]): object {
  const count = (values: readonly string[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
    return counts;
  };
  const byKey = count(assets.flatMap(({ regions }) => regions.map(({ key }) => key)));
  const names = count(assets.flatMap(({ regions }) => regions.map(({ name }) => name)));
  // Each is shown by its most frequent spelling; of those that are equally frequent, capitals come first.
  const shown = (key: string): string =>
    (names[key.toUpperCase()] ?? 0) >= (names[key] ?? 0) ? key.toUpperCase() : key;
  return {
    status: count(assets.map(({ status }) => status)),
    assetType: count(assets.map(({ assetType }) => assetType)),
    region: Object.fromEntries(Object.entries(byKey).map(([key, n]) => [shown(key), n])),
  };
}

/** Sums and medians of amounts by currency. Amounts are halves, so that doubles are exact. */
function amountsOf(assets: readonly IndexedAsset[]): QueryTotals['value'] {
  const decimal = (n: number): string => (Number.isInteger(n) ? `${n}.0` : String(n));
  return ['EUR', 'UAH'].flatMap((currency) => {
    const amounts = assets.flatMap(({ value }) => (value?.currency === currency ? [value.amount] : []));
    if (amounts.length === 0) return [];
    const [sorted, middle] = [amounts.toSorted((a, b) => a - b), (amounts.length - 1) / 2];
    const median = ((sorted[Math.floor(middle)] as number) + (sorted[Math.ceil(middle)] as number)) / 2;
    const sum = amounts.reduce((all, amount) => all + amount, 0);
    return [{ currency, count: amounts.length, sum: decimal(sum), median: decimal(median) }];
  });
}

function sumOf({ currency, count, sum }: AmountSum): AmountSum {
  return { currency, count, sum };
}

/** Compares two pages of a search with a filter over all assets. */
async function judge(index: TestIndex, assets: readonly IndexedAsset[], { query, fits }: Asked): Promise<void> {
  const newest = assets.filter(fits).toReversed();
  const isByValue = query.amounts !== undefined && random.chance(0.6);
  const isDescending = random.chance(0.5);
  const sign = isDescending ? -1 : 1;
  const amountOf = ({ value }: IndexedAsset): number => (isByValue ? (value?.amount ?? 0) : 0);
  const placed = isByValue ? newest.filter(({ value }) => value !== undefined) : newest;
  const order = placed.toSorted((a, b) => sign * (amountOf(a) - amountOf(b) || a.modifiedUs - b.modifiedUs));
  const limit = random.int(1, 30);
  const page: Partial<IndexPageQuery> = { isByValue, isDescending, limit };
  const hitOf = (one: IndexedAsset): object => ({
    id: one.id,
    modifiedUs: one.modifiedUs,
    ...(isByValue && { amount: amountOf(one) }),
  });
  const found = await index.find(query, { ...page, withFacets: true });
  const isExact = newest.length <= MAX_COUNTED;
  const { status = [], assetType = [], region = [] } = found.facets ?? {};
  expect({
    query,
    hits: found.hits,
    count: found.count,
    isCountExact: found.isCountExact,
    facets: [status, assetType, region].map((counts) => Object.fromEntries(counts)),
  }).toEqual({
    query,
    hits: order.slice(0, limit).map(hitOf),
    count: isExact || query.facets !== undefined ? newest.length : MAX_COUNTED + 1,
    isCountExact: isExact || query.facets !== undefined,
    facets: Object.values(facetsOf(isExact || query.facets !== undefined ? newest : newest.slice(0, MAX_COUNTED))),
  });
  const at = order[random.int(0, Math.max(0, order.length - 1))];
  if (at === undefined) return;
  const after = { us: at.modifiedUs, amount: isByValue ? amountOf(at) : undefined };
  const next = await index.find(query, { ...page, after });
  expect({ query, after, hits: next.hits, count: next.count }).toEqual({
    query,
    after,
    hits: order.slice(order.indexOf(at) + 1, order.indexOf(at) + 1 + limit).map(hitOf),
    count: Math.min(newest.length, MAX_COUNTED + 1),
  });
}

describe.each([2_000, MANY])(
  `an index of %i entries finds what a filter over all assets finds (SEED=${SEED})`,
  (most) => {
    let index: TestIndex;
    /** By their ids, in the order of the feed. */
    const known = new Map<string, IndexedAsset>();

    beforeAll(async () => {
      index = new TestIndex();
      await index.begin();
      const assets = Array.from({ length: most }, (_, i) => asset(i + 1, i + 1));
      // The newest half is added first, and some of the others change before they are added.
      const half = Math.floor(most / 2);
      const changed = Array.from({ length: most / 10 }, (_, i) => asset(1 + 9 * i, most + i + 1));
      for (const one of [...assets, ...changed]) {
        known.delete(one.id);
        known.set(one.id, one);
      }
      expect(await index.add(assets.slice(half), half)).toBe(true);
      expect(await index.add(changed)).toBe(true);
      expect(await index.addOlder(assets.slice(100, half), 100)).toBe(true);
      expect(await index.addOlder(assets.slice(0, 100), -1)).toBe(true);
    });
    afterAll(() => index.end());

    it('in either order, page by page, with facets', async () => {
      const assets = [...known.values()];
      const queries = most === MANY ? QUERIES / 8 : QUERIES;
      for (let i = 0; i < queries; i++) await judge(index, assets, randomQuery(most + most / 10));
    });

    it('and counts the whole index', async () => {
      const assets = [...known.values()];
      const { total, status, assetType, region, value } = await index.totals();
      expect(total).toBe(assets.length);
      expect([status, assetType, region].map((counts) => Object.fromEntries(counts))).toEqual(
        Object.values(facetsOf(assets)),
      );
      const sums = amountsOf(assets).map(sumOf);
      expect(value).toEqual(sums);
    });

    it('and counts all hits of a search', async () => {
      const assets = [...known.values()];
      const everything = { query: { facets: NOTHING_CHOSEN }, fits: () => true };
      const queries = Array.from({ length: QUERIES / 8 }, () => randomQuery(most + most / 10));
      for (const { query, fits } of [everything, ...queries]) {
        const { created, changed, months, readHits: _, ...counted } = await index.count(query);
        const fitting = assets.filter(fits);
        const [status, assetType, region] = [counted.status, counted.assetType, counted.region].map((one) =>
          Object.fromEntries(one),
        );
        expect({ query, ...counted, status, assetType, region }).toEqual({
          query,
          total: fitting.length,
          value: amountsOf(fitting),
          ...facetsOf(fitting),
        });
        const all = fitting.length === 0 ? [] : [fitting.length];
        expect([created, changed]).toEqual([all.map((n) => [20261121, n]), all.map((n) => [20261122, n])]);
        expect(months.toSorted((a, b) => (a.currency < b.currency ? -1 : 1))).toEqual(
          amountsOf(fitting).map((one) => ({ ...sumOf(one), month: 202611 })),
        );
      }
    });
  },
);
