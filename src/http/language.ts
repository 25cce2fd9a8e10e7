import Negotiator from 'negotiator';
import type { Labels } from '../asset-types/labels.js';

/** The languages of pages and labels. */
export type Language = keyof Labels;

export const LANGUAGES = ['uk', 'en'] as const satisfies readonly Language[];

export function isLanguage(text: string | undefined): text is Language {
  return LANGUAGES.includes(text as Language);
}

/** The browser's preferred language; Ukrainian if it accepts neither, because the registry is Ukraine's. */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  const [first] = new Negotiator({ headers: { 'accept-language': acceptLanguage } }).languages([...LANGUAGES]);
  return isLanguage(first) ? first : 'uk';
}
