import type { Language } from '../http/language.js';

export { isLanguage, type Language, LANGUAGES, preferredLanguage } from '../http/language.js';

/** Something for each language, such as a format. @param make is given the language's name for Intl */
export function inEach<T>(make: (locale: string) => T): Readonly<Record<Language, T>> {
  return { uk: make('uk'), en: make('en-GB') };
}
