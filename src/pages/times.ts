import type { RegistryTime } from '../time/registry-time.js';
import { Html, html } from './html.js';
import { type Language, LANGUAGES } from './language.js';

/** Instants as people read them, in the registry's time zone. */
export class ShownTimes {
  private readonly formats: Readonly<Record<Language, Intl.DateTimeFormat>>;
  private readonly briefFormats: Readonly<Record<Language, Intl.DateTimeFormat>>;

  /** @param timeZone an IANA name */
  constructor(
    private readonly time: RegistryTime,
    readonly timeZone: string,
  ) {
    this.formats = formatsOf(timeZone, 'medium');
    this.briefFormats = formatsOf(timeZone, 'short');
  }

  /** @param us microseconds since 1970 UTC */
  show(us: number, language: Language): Html {
    const iso = this.time.print(us);
    return html`<time datetime="${iso}">${this.formats[language].format(us / 1_000)} ${iso.slice(-6)}</time>`;
  }

  /** As lists show it: to the minute; the element has the whole instant. @param us microseconds since 1970 UTC */
  brief(us: number, language: Language): Html {
    return html`<time datetime="${this.time.print(us)}">${this.briefFormats[language].format(us / 1_000)}</time>`;
  }

  /** As the API prints it. */
  print(us: number): string {
    return this.time.print(us);
  }
}

function formatsOf(timeZone: string, timeStyle: 'medium' | 'short'): Record<Language, Intl.DateTimeFormat> {
  const of = (language: Language): Intl.DateTimeFormat =>
    new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { timeZone, dateStyle: 'long', timeStyle });
  return Object.fromEntries(LANGUAGES.map((language) => [language, of(language)])) as Record<
    Language,
    Intl.DateTimeFormat
  >;
}
