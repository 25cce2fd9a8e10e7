/** The days up to one of them, `2026-11-21`, the oldest first. @param count with that day */
export function lastDays(last: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => dayAfter(last, i - count + 1));
}

/** The months up to that of a day, `2026-11`, the oldest first. @param count with that month */
export function lastMonths(last: string, count: number): string[] {
  const month = last.slice(0, '2026-11'.length);
  return Array.from({ length: count }, (_, i) => monthAfter(month, i - count + 1));
}

/** @param by how many days later; earlier where it is negative */
export function dayAfter(day: string, by: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  return isoOf(year, month, date + by).slice(0, '2026-11-21'.length);
}

/** @param by how many months later; earlier where it is negative */
export function monthAfter(month: string, by: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return isoOf(year, number + by, 1).slice(0, '2026-11'.length);
}

/** Days of a calendar have no zone: they are counted in that of UTC. */
function isoOf(year: number, month: number, date: number): string {
  return new Date(Date.UTC(year, month - 1, date)).toISOString();
}
