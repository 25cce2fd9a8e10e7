/*
 * Explains to a client why a text is not an instant. RegistryTime.parse() decides whether it is one.
 */

const DATE = /^(\d{4})-(\d{2})-(\d{2})/;
const TIME = /^(\d{2}):(\d{2})(?::(\d{2}))?/;
const FRACTION = /^\.\d{1,9}(?!\d)/;
const OFFSET = /^[+-](\d{2}):?(\d{2})$/;

/** @param text that is not an instant @returns its fault, as the end of a sentence */
export function instantFault(text: string): string {
  if (/\p{Cc}/u.test(text)) return 'it contains a line break or another control character';
  if (/^[+-]?\d{5,}(?:\.\d*)?$/.test(text)) return 'it is a bare number, and seconds since 1970 are not understood';
  if (/^\d{4}$/.test(text)) return 'a year alone has no month and day';
  if (/^\d{4}-\d{2}$/.test(text)) return 'a month alone has no day';
  const [date = '', year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return 'the date is not written YYYY-MM-DD';
  return dayFault(Number(year), Number(month), Number(day)) ?? restFault(text.slice(date.length));
}

function dayFault(year: number, month: number, day: number): string | undefined {
  if (month < 1 || month > 12) return 'the month is not 01 to 12';
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return day >= 1 && date.getUTCDate() === day ? undefined : 'the month has no such day';
}

/** @param rest what follows the date */
function restFault(rest: string): string {
  if (!/^[T ]/.test(rest)) return 'a T and the time belong behind the date';
  const [time = '', hour, minute, second = '00'] = TIME.exec(rest.slice(1)) ?? [];
  if (hour === undefined) return 'the time is not written HH:MM or HH:MM:SS';
  if (Number(hour) > 23) return 'the hour is not 00 to 23';
  if (Number(minute) > 59) return 'the minute is not 00 to 59';
  if (Number(second) > 59) return 'the second is not 00 to 59';
  return offsetFault(rest.slice(1 + time.length));
}

/** @param rest what follows the time */
function offsetFault(rest: string): string {
  const [fraction = ''] = FRACTION.exec(rest) ?? [];
  if (fraction === '' && /^[.,]/.test(rest)) return 'the fraction of a second is not a point with 1 to 9 digits';
  const offset = rest.slice(fraction.length);
  const [, hours, minutes] = OFFSET.exec(offset) ?? [];
  if (hours !== undefined) return `the UTC offset has ${Number(minutes) > 59 ? 'minutes above 59' : 'hours above 23'}`;
  if (/^\s*\[?[A-Za-z]/.test(offset))
    return 'the name of a time zone is not understood: send Z or a UTC offset such as +03:00';
  return 'the UTC offset is not written Z, +HH:MM or +HHMM';
}
