import type { RegistryTime } from '../platform/time/registry-time.js';
import { regionKey } from '../search/region-key.js';
import { ByteBudget } from './byte-budget.js';
import { escaped } from './html.js';
import { linkToList, without } from './list-links.js';
import type { Condition, PageQuery } from './page-query.js';
import type { PageContext } from './page-context.js';

/** A limit, because each link repeats the conditions of the search. */
const MAX_LINKS_BYTES = 11_000;

/** Links to counted assets: the conditions of the search and one more. */
export class StatisticsLinks {
  private readonly budget = new ByteBudget(MAX_LINKS_BYTES);
  private readonly filters: readonly Condition[];

  constructor(
    private readonly search: PageQuery,
    private readonly context: PageContext,
    private readonly time: RegistryTime,
  ) {
    this.filters = without(search.conditions, 'sort');
  }

  /** @returns undefined if no search finds exactly these: several regions are alternatives, so none can be added */
  to(name: 'status' | 'assetType' | 'region', value: string): string | undefined {
    const { region } = this.search.query;
    const isOther = name === 'region' && !region.map(regionKey).includes(regionKey(value));
    if (isOther && region.length > 0) return undefined;
    return this.linkWith(name, [{ name, value }]);
  }

  /** Links to the assets with an amount in a currency, the largest first. Without the order, erased amounts would be among them. */
  toCurrency(value: string): string | undefined {
    return this.linkWith('currency', [
      { name: 'currency', value },
      { name: 'sort', value: '-value' },
    ]);
  }

  /** Links to assets last changed in some days, within the bounds of the search. @param before the day after the last one */
  toDays(first: string, before: string): string | undefined {
    const { afterUs, beforeUs } = this.search.query;
    const isFirst = this.usOf(first) > afterUs;
    const isLast = this.usOf(before) < beforeUs;
    const own = [
      ...(isFirst ? [{ name: 'modifiedFrom', value: first }] : this.given('modifiedFrom')),
      ...(isLast ? [{ name: 'modifiedTo', value: before }] : this.given('modifiedTo')),
    ];
    return this.linkWith('modifiedFrom', own, without(this.filters, 'modifiedTo'));
  }

  private given(name: string): Condition[] {
    return this.filters.filter((one) => one.name === name);
  }

  private usOf(day: string): number {
    return this.time.parse(day) as number;
  }

  private linkWith(name: string, own: readonly Condition[], others = this.filters): string | undefined {
    const link = linkToList(this.context, [...without(others, name), ...own]);
    return this.budget.reserve(escaped(link).length) ? link : undefined;
  }
}
