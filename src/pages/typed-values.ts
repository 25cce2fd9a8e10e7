import type { ApiError } from '../platform/errors/api-error.js';
import { malformedParameter } from '../platform/errors/errors.js';
import type { Parameter } from '../http/request-target.js';
import type { SearchQuery } from '../search/search-query.js';
import { ConditionInvalid } from './search-errors.js';
import { readAmount } from './typed-amount.js';

/*
 * Amounts and days as people write them. The search takes a plain decimal and an ISO 8601 date.
 */

/** Currency of prices that name none. */
export const USUAL_CURRENCY = 'UAH';

const AMOUNTS = new Set(['valueFrom', 'valueTo']);
const DAYS = new Set(['modifiedFrom', 'modifiedTo']);
const DAY_AS_WRITTEN = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:\s*р\.?)?$/u;

export function isAmount(name: string): boolean {
  return AMOUNTS.has(name);
}

/** Converts a typed amount or day for the search; other values are unchanged. */
export function normalizeTyped(name: string, written: string): string {
  if (isAmount(name)) return readAmount(written).decimal;
  return DAYS.has(name) ? day(written) : written;
}

/** Errors of an amount that has two meanings. */
export function ambiguitiesOf(
  { name, value }: Pick<Parameter, 'name' | 'value'>,
  { currency }: SearchQuery,
): ApiError[] {
  if (!isAmount(name)) return [];
  const refused = (rule: string, reason: ConditionInvalid['reason']): ApiError[] => [
    new ConditionInvalid(malformedParameter(name, rule), reason),
  ];
  const { isAmbiguous, isInHryvnias } = readAmount(value);
  if (isAmbiguous)
    return refused('A comma or a point before three digits may mean thousands or a fraction', 'ambiguous');
  const isOther = isInHryvnias && currency !== USUAL_CURRENCY;
  return isOther ? refused('The amount is in another currency than `currency`', 'otherCurrency') : [];
}

/** Converts `1.2.2026` to `2026-02-01`. */
function day(written: string): string {
  const [, days = '', months = '', year] = DAY_AS_WRITTEN.exec(written) ?? [];
  return year === undefined ? written : `${year}-${months.padStart(2, '0')}-${days.padStart(2, '0')}`;
}
