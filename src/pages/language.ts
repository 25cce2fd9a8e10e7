import type { Language } from '../http/language.js';

export { isLanguage, type Language, LANGUAGES, preferredLanguage } from '../http/language.js';

/** A value for each language, such as a format. @param make gets the locale for Intl */
export function inEach<T>(make: (locale: string) => T): Readonly<Record<Language, T>> {
  return { uk: make('uk'), en: make('en-GB') };
}
