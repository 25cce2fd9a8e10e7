/*
 * Parsers of the settings about the publisher of the registry. They return undefined for an invalid text.
 */

const MAX_NAME = 200;
export const NAME_RULE = `must be a name of at most ${MAX_NAME} characters on one line`;

export function parseName(text: string): string | undefined {
  return text.length <= MAX_NAME && !/\p{Cc}/u.test(text) ? text : undefined;
}

/** Limited, because every page repeats some of these URLs. */
const MAX_URL = 300;
export const WEB_URL_RULE = `must be an absolute http or https URL of at most ${MAX_URL} characters, without user and password`;

/** @returns the normalised URL */
export function parseWebUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  return url.username === '' && url.password === '' && url.href.length <= MAX_URL ? url.href : undefined;
}

export const CONTACT_RULE = 'must be a mail address such as registry@example.org, or an absolute https URL';
/** Addresses that need no escapes in a `mailto:` URI. */
const MAIL = /^[\w.+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/;

/** @returns a URI with `mailto:` or `https:`, as security.txt requires (RFC 9116) */
export function parseContact(text: string): string | undefined {
  if (MAIL.test(text) && text.length <= MAX_URL) return `mailto:${text}`;
  const url = parseWebUrl(text);
  return url?.startsWith('https:') === true ? url : undefined;
}

/** Licences of open data by their SPDX identifiers. */
const LICENCE_URLS: ReadonlyMap<string, string> = new Map([
  ['CC0-1.0', 'https://creativecommons.org/publicdomain/zero/1.0/'],
  ['CC-BY-4.0', 'https://creativecommons.org/licenses/by/4.0/'],
  ['CC-BY-SA-4.0', 'https://creativecommons.org/licenses/by-sa/4.0/'],
  ['ODbL-1.0', 'https://opendatacommons.org/licenses/odbl/1-0/'],
  ['ODC-By-1.0', 'https://opendatacommons.org/licenses/by/1-0/'],
  ['PDDL-1.0', 'https://opendatacommons.org/licenses/pddl/1-0/'],
]);
export const LICENCE_RULE = `must be one of ${[...LICENCE_URLS.keys()].join(', ')}, or the absolute http or https URL of another licence`;

/** A licence under which the data may be used. */
export interface Licence {
  /** An SPDX identifier, or the URL again. */
  name: string;
  url: string;
}

export function parseLicence(text: string): Licence | undefined {
  const url = LICENCE_URLS.get(text) ?? parseWebUrl(text);
  return url === undefined ? undefined : { name: LICENCE_URLS.has(text) ? text : url, url };
}

/** Update frequencies, with their codes in the EU's vocabulary. */
export const FREQUENCIES = {
  continuous: 'UPDATE_CONT',
  hourly: 'HOURLY',
  daily: 'DAILY',
  weekly: 'WEEKLY',
  monthly: 'MONTHLY',
  quarterly: 'QUARTERLY',
  annual: 'ANNUAL',
  irregular: 'IRREG',
} as const;
export type Frequency = keyof typeof FREQUENCIES;
export const FREQUENCY_RULE = `must be one of ${Object.keys(FREQUENCIES).join(', ')}`;

export function parseFrequency(text: string): Frequency | undefined {
  return Object.hasOwn(FREQUENCIES, text) ? (text as Frequency) : undefined;
}
