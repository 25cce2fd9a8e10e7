/** Returns `count` days up to and including `last`, oldest first: `2026-11-21`. */
export function lastDays(last: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => dayAfter(last, i - count + 1));
}

/** Returns `count` months up to and including that of the day `last`, oldest first: `2026-11`. */
export function lastMonths(last: string, count: number): string[] {
  const month = last.slice(0, '2026-11'.length);
  return Array.from({ length: count }, (_, i) => monthAfter(month, i - count + 1));
}

/** @param by days, may be negative */
export function dayAfter(day: string, by: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  return isoOf(year, month, date + by).slice(0, '2026-11-21'.length);
}

/** @param by months, may be negative */
export function monthAfter(month: string, by: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return isoOf(year, number + by, 1).slice(0, '2026-11'.length);
}

/** Calendar days have no time zone; UTC avoids days of 23 and 25 hours. */
function isoOf(year: number, month: number, date: number): string {
  return new Date(Date.UTC(year, month - 1, date)).toISOString();
}
