import type { RegistryTime } from '../platform/time/registry-time.js';
import { Html, html } from './html.js';
import { inEach, type Language } from './language.js';

/** HTML allows at most three fraction digits of a second. */
const TO_MILLISECONDS = '2017-08-16T18:36:13.882'.length;
const TO_MINUTES = '2017-08-16T18:36'.length;
const OFFSET = '+03:00'.length;

/** Formats instants in the registry's time zone. */
export class ShownTimes {
  private readonly formats: Readonly<Record<Language, Intl.DateTimeFormat>>;
  private readonly briefFormats: Readonly<Record<Language, Intl.DateTimeFormat>>;
  private readonly dayFormats: Readonly<Record<Language, Intl.DateTimeFormat>>;

  /** @param timeZone an IANA name */
  constructor(
    private readonly time: RegistryTime,
    readonly timeZone: string,
  ) {
    this.formats = formatsOf(timeZone, 'medium');
    this.briefFormats = formatsOf(timeZone, 'short');
    this.dayFormats = formatsOf(timeZone);
  }

  /** @param us microseconds since 1970 UTC */
  show(us: number, language: Language): Html {
    const iso = this.time.print(us);
    return timeElement(iso, `${this.formats[language].format(us / 1_000)} ${iso.slice(-OFFSET)}`);
  }

  /** To the minute, which keeps lists small. @param us microseconds since 1970 UTC */
  brief(us: number, language: Language): Html {
    const iso = this.time.print(us);
    const datetime = iso.slice(0, TO_MINUTES) + iso.slice(-OFFSET);
    return html`<time datetime="${datetime}">${this.briefFormats[language].format(us / 1_000)}</time>`;
  }

  /** @param us microseconds since 1970 UTC */
  day(us: number, language: Language): Html {
    return timeElement(this.time.print(us), this.dayFormats[language].format(us / 1_000));
  }

  /** An instant as the API prints it. @param us microseconds since 1970 UTC */
  print(us: number): string {
    return this.time.print(us);
  }

  /** @returns microseconds since 1970 UTC; undefined if the text is no instant of the API */
  parse(text: string): number | undefined {
    return this.time.parse(text);
  }
}

const calendarFormats = formatsOf('UTC');

/** Whether a text is a day such as `2026-11-28`, not an instant. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text);
}

/** @param day such as `2026-11-28` */
export function printDay(day: string, language: Language): string {
  return calendarFormats[language].format(Date.parse(day));
}

/** The exact instant is the title. @param iso as the API prints it */
export function timeElement(iso: string, shown: string): Html {
  const datetime = iso.slice(0, TO_MILLISECONDS) + iso.slice(-OFFSET);
  return html`<time datetime="${datetime}" title="${iso}">${shown}</time>`;
}

function formatsOf(timeZone: string, timeStyle?: 'medium' | 'short'): Readonly<Record<Language, Intl.DateTimeFormat>> {
  return inEach((locale) => new Intl.DateTimeFormat(locale, { timeZone, dateStyle: 'long', timeStyle }));
}
