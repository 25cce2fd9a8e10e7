import { describe, expect, it } from '@jest/globals';
import type { IndexPageQuery } from '../database/search/index-query.js';
import { type AssetSearch } from '../search/asset-search.js';
import { EVERYTHING, type SearchQuery } from '../search/search-query.js';
import { countOtherPrices } from './other-prices.js';
import type { PageQuery } from './page-query.js';

const IN: Readonly<Record<string, number>> = { UAH: 5, USD: 3, EUR: 0 };
/** Assets in addition whose amount was erased: no list by price has them. */
const ERASED: Readonly<Record<string, number>> = { UAH: 2, USD: 1 };
const searcher = { isGone: () => false };

function searchOf(total: number, currencies: readonly string[], { isExact = true, erased = {} as typeof ERASED } = {}) {
  const find = ({ currency }: SearchQuery, { isByValue }: IndexPageQuery) => {
    const without = isByValue ? 0 : (erased[currency ?? ''] ?? 0);
    const count = currency === undefined ? total : (IN[currency] ?? 1) + without;
    return Promise.resolve({ total: count, exactTotal: isExact ? count : undefined });
  };
  return { find, choices: () => Promise.resolve({ regions: [], currencies }) } as unknown as AssetSearch;
}

const asked = (query: Partial<SearchQuery>, isByValue = true): PageQuery =>
  ({ query: { ...EVERYTHING, ...query }, isByValue }) as PageQuery;
const usual = ['UAH', 'USD', 'EUR'];

describe('what a list by price leaves out', () => {
  it('is each other currency, and assets without a price', async () => {
    expect(await countOtherPrices(asked({ currency: 'UAH' }), searchOf(10, usual), searcher)).toEqual({
      currencies: [{ currency: 'USD', count: { count: 3, isExact: true } }],
      withoutPrice: 2,
    });
  });

  it('counts an erased price as none, or in its currency if the link shows it', async () => {
    const search = searchOf(11, usual, { erased: ERASED });
    const dollars = (count: number) => [{ currency: 'USD', count: { count, isExact: true } }];
    expect(await countOtherPrices(asked({ currency: 'UAH' }), search, searcher)).toEqual({
      currencies: dollars(3),
      withoutPrice: 3,
    });
    const valueFrom = { amount: 1, isInside: true };
    expect(await countOtherPrices(asked({ currency: 'UAH', valueFrom }, false), search, searcher)).toEqual({
      currencies: dollars(4),
      withoutPrice: 2,
    });
  });

  it('lacks the number without a price if a count is not exact, or a currency was not counted', async () => {
    const many = ['A', 'B', 'C', 'D', 'E', 'F'];
    for (const search of [searchOf(10, usual, { isExact: false }), searchOf(100, [...usual, ...many])])
      expect(await countOtherPrices(asked({ currency: 'UAH' }), search, searcher)).toMatchObject({
        withoutPrice: undefined,
      });
  });

  it('is nothing if all prices are listed', async () => {
    expect(await countOtherPrices(asked({}, false), searchOf(10, usual), searcher)).toBeUndefined();
    expect(await countOtherPrices(asked({ currency: 'USD' }, false), searchOf(10, usual), searcher)).toBeUndefined();
  });
});
