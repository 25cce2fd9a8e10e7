import { isISO4217CurrencyCode, isRFC3339 } from 'class-validator';

/*
 * Rules of values: a sentence for an invalid value, undefined for a valid one. Source: contract section 1.
 */

export const MAX_TEXT_CODE_POINTS = 2_000;
export const MAX_LONG_TEXT_CODE_POINTS = 50_000;
export const MAX_NUMBER = 1e15;
export const MAX_ITEMS = 1_000;
export const MAX_TEXTS = 100;
export const MAX_YEAR = 9_999;
// oxlint-disable-next-line no-control-regex -- it is meant to match control characters
const CONTROL_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
/** Excludes what isRFC3339 accepts in addition: a space for the T, lower case, second 60, and any number of decimals. */
const DATE_TIME = /^[\d-]{10}T[\d:]{6}[0-5]\d(?:\.\d{1,9})?(?:Z|[+-][\d:]{5})$/;
/** ISO 4217 codes that class-validator does not know yet: amendments 176 to 179. */
const NEWER_CURRENCIES: ReadonlySet<unknown> = new Set(['XAD', 'XCG', 'ZWG']);
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_LENGTH = '2017-08-16'.length;
const ITEM_ID = /^[0-9a-f]{32}$/;

export type Rule = (value: unknown) => string | undefined;

/** Adds the rules for null and missing values. @param faultOf the rule of a present value */
export function ruleOfField(optional: boolean, faultOf: Rule): Rule {
  return (value) => {
    if (value === undefined) return optional ? undefined : 'This field is required';
    return value === null ? 'This field may not be null' : faultOf(value);
  };
}

/** The rule of values that are checked elsewhere. */
export const anyValue: Rule = () => undefined;

export function textRule(max: number, mayBeEmpty: boolean): Rule {
  return (value) => textFault(value, max, mayBeEmpty);
}

function textFault(value: unknown, max: number, mayBeEmpty: boolean): string | undefined {
  if (typeof value !== 'string') return 'A string is required';
  if (value === '' && !mayBeEmpty) return 'This field may not be empty';
  // A code point is one or two units, so most texts need no count.
  if (value.length > max && (value.length > 2 * max || Array.from(value).length > max))
    return `At most ${max} characters are kept`;
  if (!value.isWellFormed()) return 'The string has half of a surrogate pair';
  if (CONTROL_CHARACTER.test(value)) return 'Of the control characters only tab and line breaks may be used';
  return undefined;
}

export function numberFault(value: unknown): string | undefined {
  if (typeof value !== 'number') return 'A number is required';
  if (Number.isNaN(value))
    return 'Up to 15 significant digits, 9 decimals and 10^15 are kept exactly; this number is not';
  return value >= 0 && value <= MAX_NUMBER ? undefined : 'A number from 0 to 10^15 is required';
}

export function urlFault(value: unknown): string | undefined {
  const fault = textFault(value, MAX_TEXT_CODE_POINTS, false);
  if (fault !== undefined) return fault;
  const text = value as string;
  return /^https?:\/\/[^\s/?#]/i.test(text) && !/\s/.test(text) && URL.canParse(text)
    ? undefined
    : 'An absolute http or https URL is required';
}

export function currencyFault(value: unknown): string | undefined {
  const isCode = isISO4217CurrencyCode(value) || NEWER_CURRENCIES.has(value);
  return isCode && value === String(value).toUpperCase() ? undefined : 'An ISO 4217 code is required';
}

/** The first two checks are of the form, the last one of the calendar. */
export function dateTimeFault(value: unknown): string | undefined {
  return typeof value === 'string' && DATE_TIME.test(value) && isRFC3339(value) && isDay(value.slice(0, DAY_LENGTH))
    ? undefined
    : 'A date and time with an offset is required, such as 2017-08-16T18:36:13+03:00';
}

export function dayFault(value: unknown): string | undefined {
  return isDay(value) ? undefined : 'A day of the calendar is required, such as 2017-08-16';
}

/** Whether it is a day of the calendar, from year 1. Date converts 31 June to 1 July, so the result is compared. */
function isDay(value: unknown): boolean {
  if (typeof value !== 'string' || !DAY.test(value) || value.startsWith('0000')) return false;
  const ms = Date.parse(value);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(value);
}

export function yearFault(value: unknown): string | undefined {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_YEAR
    ? undefined
    : `A whole number from 1 to ${MAX_YEAR} is required`;
}

export function flagFault(value: unknown): string | undefined {
  return typeof value === 'boolean' ? undefined : 'true or false is required';
}

export function choiceRule(values: readonly string[]): Rule {
  return (value) => (values.includes(value as string) ? undefined : `One of these is required: ${values.join(', ')}`);
}

export function textsRule(mayBeEmpty: boolean): Rule {
  return (value) => {
    if (!Array.isArray(value)) return 'A list of strings is required';
    if (value.length === 0 && !mayBeEmpty) return 'At least one is required';
    if (value.length > MAX_TEXTS) return `At most ${MAX_TEXTS} are kept`;
    for (const [i, text] of value.entries()) {
      const fault = textFault(text, MAX_TEXT_CODE_POINTS, false);
      if (fault !== undefined) return `Text ${i + 1}: ${fault}`;
    }
    return undefined;
  };
}

export function itemIdFault(value: unknown): string | undefined {
  return typeof value === 'string' && ITEM_ID.test(value)
    ? undefined
    : 'The id of an item is 32 lower-case hex characters, and stays as it is';
}

/** Checks that ids are unique, not the members of the items. */
export function itemsRule(atLeast: number): Rule {
  return (value) => {
    if (!Array.isArray(value)) return 'A list is required';
    if (value.length < atLeast) return atLeast === 1 ? 'At least one is required' : `At least ${atLeast} are required`;
    if (value.length > MAX_ITEMS) return `At most ${MAX_ITEMS} are kept`;
    const ids = (value as { id?: unknown }[]).flatMap((item) => item?.id ?? []);
    return new Set(ids).size === ids.length ? undefined : 'No two of them may have the same id';
  };
}
