import type { AssetSearch, Searcher } from '../search/asset-search.js';
import type { SearchQuery } from '../search/search-query.js';
import { type Html, html } from './html.js';
import { type Count, countOf, printCount } from './list-counts.js';
import { linkToList, without } from './list-links.js';
import type { Condition, PageQuery } from './page-query.js';
import type { PageContext } from './page-context.js';
import { printNumber } from './shown-values.js';
import { TEXTS } from './texts.js';

/** The most frequent currencies are counted. */
const MAX_CURRENCIES = 6;
const ONE = { isDescending: true, after: undefined, limit: 1, withFacets: false };

/** Assets outside a list that is sorted or filtered by price: it has one currency, as amounts of several cannot be compared. */
export interface OtherPrices {
  currencies: readonly { currency: string; count: Count }[];
  /** Undefined if the exact number is unknown. */
  withoutPrice: number | undefined;
}

/** @returns undefined if the list is neither sorted nor filtered by price @throws ApiError 503 */
export async function countOtherPrices(
  { query, isByValue }: PageQuery,
  search: AssetSearch,
  searcher: Searcher,
): Promise<OtherPrices | undefined> {
  const { currency: own, valueFrom, valueTo } = query;
  if (own === undefined || (!isByValue && valueFrom === undefined && valueTo === undefined)) return undefined;
  const all = (await search.choices()).currencies;
  const others = all.filter((currency) => currency !== own).slice(0, MAX_CURRENCIES - 1);
  const unpriced: SearchQuery = { ...query, valueFrom: undefined, valueTo: undefined };
  const countIn = async (currency: string | undefined, needsAmount: boolean): Promise<Count> =>
    countOf(await search.find({ ...unpriced, currency }, { ...ONE, isByValue: needsAmount }, searcher));
  // A filter by currency finds assets whose amount was erased, too; an order by amount does not. Other currencies are counted as their lists do.
  const [everything, ...counts] = await Promise.all([
    countIn(undefined, false),
    ...others.map((currency) => countIn(currency, isByValue)),
  ]);
  const isKnown = all.length < MAX_CURRENCIES && [everything, ...counts].every(({ isExact }) => isExact);
  // Counted last, because counting the amounts of a large list takes long.
  const priced = isKnown ? sumOf([await countIn(own, true), ...counts]) : 0;
  const currencies = others.map((currency, i) => ({ currency, count: counts[i] as Count }));
  return {
    currencies: currencies.filter(({ count }) => count.count > 0),
    withoutPrice: isKnown ? everything.count - priced : undefined,
  };
}

function sumOf(counts: readonly Count[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** Shows the counts; each currency links to its list, without the price bounds. */
export function showOtherPrices(
  { currencies, withoutPrice = 0 }: OtherPrices,
  conditions: readonly Condition[],
  context: PageContext,
): Html | undefined {
  if (currencies.length === 0 && withoutPrice === 0) return undefined;
  const texts = TEXTS[context.language];
  const others = ['currency', 'valueFrom', 'valueTo'].reduce(without, conditions);
  const links = currencies.map(({ currency, count }, i) => {
    const href = linkToList(context, [...others, { name: 'currency', value: currency }]);
    const text = `${texts.pricesIn} ${currency}: ${printCount(count, context)}`;
    return html`${i > 0 && ', '}<a rel="nofollow" href="${href}">${text}</a>`;
  });
  const unpriced = withoutPrice > 0 && `${texts.withoutPrice}: ${printNumber(withoutPrice, context.language)}`;
  return html`<p class="note" id="others">
    ${texts.notInList} ${links}${unpriced && links.length > 0 && ', '}${unpriced}
  </p>`;
}
