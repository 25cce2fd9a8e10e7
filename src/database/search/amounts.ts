import type { IndexQuery } from './index-query.js';

/** A condition of `entry`, with the value to bind. */
export type AmountCondition = readonly [condition: string, value: string | number];

/** Amounts are bounded in one currency. */
export function isBounded({ currency, from, to }: IndexQuery): boolean {
  return currency !== undefined && (from !== undefined || to !== undefined);
}

/** The conditions of a query's currency and its bounds; none where no currency is asked for. */
export function amountConditions({ currency, from, to }: IndexQuery): AmountCondition[] {
  if (currency === undefined) return [];
  const conditions: AmountCondition[] = [['currency = ?', currency]];
  if (from !== undefined) conditions.push([`amount ${from.isInside ? '>=' : '>'} ?`, from.amount]);
  if (to !== undefined) conditions.push([`amount ${to.isInside ? '<=' : '<'} ?`, to.amount]);
  return conditions;
}
