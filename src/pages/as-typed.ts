/*
 * Amounts and days as people write them. The search takes a plain decimal and an ISO 8601 date.
 */

/** Where a price is asked for in no currency: the registry is Ukraine's. */
export const USUAL_CURRENCY = 'UAH';

const AMOUNTS = new Set(['valueFrom', 'valueTo']);
const HRYVNIAS = /(?<=\d\s*)(?:грн\.?|гривень|гривн[яі]|₴|UAH)$/iu;
const THOUSANDS = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const DAYS = new Set(['modifiedFrom', 'modifiedTo']);
const DAY_AS_WRITTEN = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:\s*р\.?)?$/u;

export function isAmount(name: string): boolean {
  return AMOUNTS.has(name);
}

/** As the search takes it; what is neither an amount nor a day stays as it is. */
export function plain(name: string, written: string): string {
  if (isAmount(name)) return decimal(written);
  return DAYS.has(name) ? day(written) : written;
}

/** People write `12 500,50 грн` and `1,250,000.50`. */
function decimal(amount: string): string {
  const dense = amount.replaceAll(/\s/gu, '').replace(HRYVNIAS, '');
  return THOUSANDS.test(dense) ? dense.replaceAll(',', '') : dense.replace(/^(\d+),(\d{1,2})$/, '$1.$2');
}

/** People write `1.2.2026`. */
function day(written: string): string {
  const [, days = '', months = '', year] = DAY_AS_WRITTEN.exec(written) ?? [];
  return year === undefined ? written : `${year}-${months.padStart(2, '0')}-${days.padStart(2, '0')}`;
}
