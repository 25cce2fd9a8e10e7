const UP_TO_MINUTE = '2017-08-16T18:36'.length;
const FRACTION = '2017-08-16T18:36:13.'.length;
const FRACTION_END = FRACTION + 6;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}[+-]\d\d:\d\d$/;
const US_PER_MS = 1_000;
const US_PER_SECOND = 1_000_000;

/** Cache of the last minute, because most entries of a page share it. */
let lastMinute = '';
let lastMinuteUs = 0;

/**
 * Parses a `dateModified` to microseconds since 1970 UTC; NaN for any other text.
 * @param text such as `2017-08-16T18:36:13.882146+03:00`, always with six fraction digits and a numeric offset
 */
export function usOf(text: string): number {
  if (!INSTANT.test(text)) return NaN;
  const minute = text.slice(0, UP_TO_MINUTE) + text.slice(FRACTION_END);
  if (minute !== lastMinute) {
    lastMinuteUs = Date.parse(minute) * US_PER_MS;
    lastMinute = minute;
  }
  const seconds = Number(text.slice(UP_TO_MINUTE + 1, FRACTION - 1));
  return lastMinuteUs + seconds * US_PER_SECOND + Number(text.slice(FRACTION, FRACTION_END));
}

/** An instant in the format of `offset`, `from` and `to`. @param us microseconds since 1970 UTC */
export function printUs(us: number): string {
  const ms = Math.floor(us / US_PER_MS);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(us - ms * US_PER_MS).padStart(3, '0')}Z`;
}
