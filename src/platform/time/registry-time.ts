/*
 * Instants are whole microseconds since 1970 UTC in a number (exact until the year 2255). They are printed and parsed here, because JavaScript's
 * Date has only milliseconds and no zone. Source: contract sections 1 and 6.
 */

const US_PER_MS = 1000;
const MS_PER_MINUTE = 60_000;
const US_PER_SECOND = 1_000_000;
const US_PER_MINUTE = 60 * US_PER_SECOND;
/** Zone rules change at multiples of a quarter of an hour only. */
const QUARTER_MS = 15 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_CACHED = 20_000;
/** The first and last day with a year of four digits in every zone, in microseconds. Databases may contain other values. */
const FIRST_US = Date.UTC(1000, 0, 2) * US_PER_MS;
const LAST_US = Date.UTC(9999, 11, 31) * US_PER_MS;

/** Go, Java and .NET print up to nine digits of a second; digits after the sixth are dropped. */
const ISO_INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6})\d{0,3})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

interface PrintedMinute {
  /** `2017-08-16T18:36:` */
  upToMinute: string;
  /** `+03:00` */
  offset: string;
}

/** Prints and reads instants in one time zone. */
export class RegistryTime {
  private readonly zoneFormat: Intl.DateTimeFormat;
  private readonly offsets = new Map<number, number>();
  private readonly minutes = new Map<number, PrintedMinute>();

  /** @param timeZone an IANA name @throws RangeError for an unknown one */
  constructor(readonly timeZone: string) {
    this.zoneFormat = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  }

  /**
   * `2017-08-16T18:36:13.882146+03:00`: always six fraction digits and a numeric offset.
   * @param instant in microseconds; the last day of the year 9999 is printed for NaN, or if the year has not four digits
   */
  print(instant: number): string {
    const us = printable(instant);
    const minute = Math.floor(us / US_PER_MINUTE);
    const { upToMinute, offset } = this.printedMinute(minute);
    const usOfMinute = us - minute * US_PER_MINUTE;
    const second = Math.floor(usOfMinute / US_PER_SECOND);
    return upToMinute + SECONDS[second] + sixDigits(usOfMinute - second * US_PER_SECOND) + offset;
  }

  /** The UTC offset with which an instant is printed, in minutes. */
  offsetMinutes(instant: number): number {
    return this.offsetMs(printable(instant) / US_PER_MS) / MS_PER_MINUTE;
  }

  /** The local day, `2017-08-16`. */
  day(us: number): string {
    return this.print(us).slice(0, 10);
  }

  /** The beginning of the next local day, in microseconds. */
  nextDayUs(us: number): number {
    const next = new Date(Date.parse(this.day(us)) + DAY_MS).toISOString().slice(0, 10);
    return this.parse(next) as number;
  }

  /**
   * Parses a date, or a date and time, with any UTC offset, `Z` or none (then this zone; of two instants with the same local time the earlier
   * one, because beginning earlier only repeats entries).
   * @returns the instant, clamped to the range that a number represents exactly; undefined for any other text
   */
  parse(text: string): number | undefined {
    const match = ISO_INSTANT.exec(text);
    if (match === null) return undefined;
    const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone] = match;
    const localMs = utcMs(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second));
    if (localMs === undefined) return undefined;
    const offset = zone === undefined ? this.earliestOffset(localMs) : parseOffset(zone);
    if (offset === undefined) return undefined;
    const us = (localMs - offset) * US_PER_MS + Number(fraction.padEnd(6, '0'));
    return Math.min(Math.max(us, 0), Number.MAX_SAFE_INTEGER);
  }

  /** The offset of the earliest instant with this local time; the offsets a day before and after cover any clock change. */
  private earliestOffset(localMs: number): number {
    const candidates = [this.offsetMs(localMs - DAY_MS), this.offsetMs(localMs + DAY_MS)];
    const real = candidates.filter((offset) => this.offsetMs(localMs - offset) === offset);
    return Math.max(...(real.length > 0 ? real : candidates));
  }

  /** The part that instants of one minute share, cached because a page of the feed prints a thousand. @param minute since 1970 UTC */
  private printedMinute(minute: number): PrintedMinute {
    let printed = this.minutes.get(minute);
    if (printed === undefined) {
      if (this.minutes.size >= MAX_CACHED) this.minutes.clear();
      const ms = minute * MS_PER_MINUTE;
      const offset = this.offsetMs(ms);
      const upToMinute = new Date(ms + offset).toISOString().slice(0, '2017-08-16T18:36:'.length);
      printed = { upToMinute, offset: printOffset(offset) };
      this.minutes.set(minute, printed);
    }
    return printed;
  }

  /** UTC offset at `ms`, in milliseconds. */
  private offsetMs(ms: number): number {
    const quarter = Math.floor(ms / QUARTER_MS);
    let offset = this.offsets.get(quarter);
    if (offset === undefined) {
      if (this.offsets.size >= MAX_CACHED) this.offsets.clear();
      offset = this.lookUpOffset(quarter * QUARTER_MS);
      this.offsets.set(quarter, offset);
    }
    return offset;
  }

  private lookUpOffset(ms: number): number {
    const name = this.zoneFormat.formatToParts(ms).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT';
    return parseOffset(name.slice('GMT'.length) || 'Z') ?? 0;
  }
}

function printable(instant: number): number {
  return instant >= FIRST_US && instant <= LAST_US ? instant : LAST_US;
}

/** Milliseconds since the epoch of a UTC date and time; undefined if there is no such day or time. */
function utcMs(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number | undefined {
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return date.setUTCHours(hour, minute, second);
}

/** `Z`, `+03:00` or `+0300` in milliseconds; undefined if minutes or hours are out of range. */
function parseOffset(text: string): number | undefined {
  if (text === 'Z') return 0;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})/.exec(text) ?? [];
  if (sign === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** `13.` of a second of the minute. */
const SECONDS = Array.from({ length: 60 }, (_, second) => `${String(second).padStart(2, '0')}.`);

function sixDigits(number: number): string {
  return String(1_000_000 + number).slice(1);
}

function printOffset(offsetMs: number): string {
  const minutes = Math.abs(offsetMs) / MS_PER_MINUTE;
  const pair = (value: number): string => String(value).padStart(2, '0');
  return `${offsetMs < 0 ? '-' : '+'}${pair(Math.floor(minutes / 60))}:${pair(minutes % 60)}`;
}
