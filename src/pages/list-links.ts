import { API_PREFIX } from '../http/api-paths.js';
import { printQuery, targetOf } from '../http/request-target.js';
import { ANY_STATE, type Condition, isAvailableNow, type PageQuery } from './page-query.js';
import { linkTo, type PageContext, repeatedOf } from './page-context.js';
import { isAmount, USUAL_CURRENCY } from './typed-values.js';

/*
 * Links from a list to others, so that each filter has an address that can be copied.
 */

/** A link to a list. Without a filter the page shows what is available now, so all assets need `any-state`. @param cursorParameters for a further page */
export function linkToList(
  context: PageContext,
  conditions: readonly Condition[],
  cursorParameters: readonly Condition[] = [],
): string {
  const filters = without(conditions, 'sort');
  const order = conditions.filter(({ name }) => name === 'sort');
  const isPreset = filters.length > 0 && filters.every(isAvailableNow);
  if (isPreset) return linkTo(context, '/', [...order, ...cursorParameters]);
  const all = filters.length === 0 ? [...order, { name: 'status', value: ANY_STATE }] : conditions;
  return linkTo(context, '/', [...all, ...cursorParameters]);
}

/** A link to another page of the list. */
export function linkToPage(context: PageContext, { conditions }: PageQuery, cursor: string, isBack: boolean): string {
  const cursorParameters = [{ name: 'offset', value: cursor }, ...(isBack ? [{ name: 'back', value: '1' }] : [])];
  return linkToList(context, conditions, cursorParameters);
}

const MAX_BACK_LINK_LENGTH = 1_000;

/** A link to the list that the visitor came from. @returns undefined if the referrer is another page */
export function linkBack(context: PageContext): string | undefined {
  const { base, referer = '' } = context;
  if (!referer.startsWith(`${base}/?`)) return undefined;
  const conditions = repeatedOf(targetOf({ url: referer.slice(base.length) }).query);
  const link = linkTo(context, '/', conditions);
  return conditions.length > 0 && link.length <= MAX_BACK_LINK_LENGTH ? link : undefined;
}

/** Further parameters of a format: Excel needs a byte order mark to read CSV as UTF-8. */
const OF_FORMAT = {
  '': () => [],
  '.csv': () => [{ name: 'bom', value: '1' }],
  '.xlsx': ({ language }: PageContext) => [{ name: 'lang', value: language }],
} satisfies Record<string, (context: PageContext) => Condition[]>;

/** A link to the same search at the API. @param format the end of the path */
export function linkToApi(
  context: PageContext,
  format: keyof typeof OF_FORMAT,
  conditions: readonly Condition[],
): string {
  const all = [...conditions, ...OF_FORMAT[format](context)];
  const query = all.length === 0 ? '' : `?${printQuery(all)}`;
  return `${context.root}/${API_PREFIX}/assets/search${format}${query}`;
}

/** A link to the same search as an Atom feed, which has no `sort`. @param offset cursor of a page */
export function linkToFeed(context: PageContext, conditions: readonly Condition[], offset?: string): string {
  const cursorParameters = offset === undefined ? [] : [{ name: 'offset', value: offset }];
  return linkTo(context, '/changes.atom', [...without(conditions, 'sort'), ...cursorParameters]);
}

/** A link to the statistics of the same search. */
export function linkToStatistics(context: PageContext, query: PageQuery): string {
  return linkTo(context, '/statistics', without(query.conditions, 'sort'));
}

/** The conditions for the API, which does not know `available-now`. */
export function searchConditions({ conditions, query }: PageQuery): Condition[] {
  return conditions.flatMap((one) =>
    isAvailableNow(one) ? query.status.map((value) => ({ name: 'status', value })) : [one],
  );
}

export function without(conditions: readonly Condition[], name: string): Condition[] {
  return conditions.filter((one) => one.name !== name);
}

/** Whether the condition compares amounts, which needs a currency. */
export function isOfAmounts({ name, value }: Condition): boolean {
  return isAmount(name) || (name === 'sort' && value.endsWith('value'));
}

/** Removes conditions. The default currency goes with the last condition that needs it. */
export function remaining(conditions: readonly Condition[], gone: readonly Condition[]): Condition[] {
  const left = conditions.filter((one) => !gone.includes(one));
  const isNeeded = left.some(isOfAmounts) || !conditions.some(isOfAmounts);
  return isNeeded ? left : left.filter(({ name, value }) => name !== 'currency' || value !== USUAL_CURRENCY);
}
