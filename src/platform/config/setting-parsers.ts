import { isIP } from 'node:net';
import bytes from 'bytes';
import proxyAddr from 'proxy-addr';
import { parseDatabaseUrl } from './database-url.js';
import { TIME_BUDGETS_MS } from './time-budgets.js';

/*
 * Parsers of single settings, and their rules for error messages. A parser returns undefined for an invalid text.
 */

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const SWITCH: Record<string, boolean> = { '1': true, on: true, true: true, '0': false, off: false, false: false };

/** How often something may be done: `burst` times at once, and `perSecond` in the long run. */
export interface Rate {
  perSecond: number;
  burst: number;
}

export function checkDatabaseUrl(text: string): string | undefined {
  return parseDatabaseUrl(text) === undefined ? undefined : text;
}

export const SEARCH_INDEX_RULE = 'must be the path of a file whose name ends in .sqlite, or off';

/** Null means "off". */
export function parseSearchIndex(text: string): string | null | undefined {
  if (parseSwitch(text) === false) return null;
  return text.endsWith('.sqlite') ? text : undefined;
}

export function parseSwitch(text: string): boolean | undefined {
  return SWITCH[text.toLowerCase()];
}

export const RATE_RULE = 'must be <a second>/<at once> such as 50/200';

export function parseRate(text: string): Rate | undefined {
  const [, perSecond, burst] = /^(\d{1,6}(?:\.\d{1,6})?)\/(\d{1,6})$/.exec(text) ?? [];
  const rate = { perSecond: Number(perSecond), burst: Number(burst) };
  return rate.perSecond > 0 && rate.burst > 0 ? rate : undefined;
}

export function parseNetworks(text: string): string[] | undefined {
  const networks = splitList(text);
  return networks.every(isNetwork) ? networks : undefined;
}

/** Stricter than proxy-addr, which reads `1` as 0.0.0.1, `10/8` as 0.0.0.0/8 and leading zeros as octal. */
function isNetwork(text: string): boolean {
  const [address = ''] = text.split('/');
  if (isIP(address) === 0) return false;
  try {
    proxyAddr.compile([text]);
    return true;
  } catch {
    return false;
  }
}

/** The members of a comma-separated list, without empty ones. */
function splitList(text: string): string[] {
  return text
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');
}

export const PACKAGES_RULE = 'must be a list of npm packages such as @team/registry-land,@team/x, each once';

/** Names of npm packages only, so no paths and no URLs. */
const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

export function parsePackages(text: string): string[] | undefined {
  const packages = splitList(text);
  const areNames = packages.every((name) => PACKAGE_NAME.test(name));
  return areNames && new Set(packages).size === packages.length ? packages : undefined;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

export function parsePort(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined;
}

export const PUBLIC_URL_RULE = 'must be an absolute http or https URL without user, password, query and fragment';

/** Refuses even a bare question mark, which would start a query in every link. */
export function parsePublicUrl(text: string): string | undefined {
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[?#]/.test(text)) return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  return url.href.replace(/\/+$/, '');
}

/** The value that replaces a placeholder of a URL template. */
type Placeholder = 'address' | 'id';

export function urlTemplateRule(name: Placeholder): string {
  return `must be an absolute http or https URL with {${name}} once, after the host`;
}

/** Parses a URL template. Its placeholder must be after the host, so that no value can change the host. */
export function parseUrlTemplate(name: Placeholder): (text: string) => string | undefined {
  return (text) => {
    const [before = '', after, ...more] = text.split(`{${name}}`);
    const isWhole = after !== undefined && more.length === 0 && !/[\s{}]/.test(before + after);
    return isWhole && /^https?:\/\/[^/?#]+[/?#]/.test(before) && URL.canParse(text) ? text : undefined;
  };
}

export function parseTimeZone(text: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return text;
  } catch {
    return undefined;
  }
}

const MAX_PREFIX = 16;

export function parsePrefix(text: string): string | undefined {
  return text.length <= MAX_PREFIX && /^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$/.test(text) ? text : undefined;
}

const SIZE = /^\d+(?:\.\d+)? *(?:b|kb|mb|gb|tb)?$/i;

/** The pattern is checked first, because the library ignores unknown units: `1024k` would be 1024 bytes. */
export function parseBytes(text: string): number | undefined {
  const size = SIZE.test(text) ? bytes.parse(text) : null;
  return size !== null && size >= 1024 && size <= 1024 * 1024 ? size : undefined;
}

export const DAILY_BYTES_RULE = 'must be a size such as 1gb, from 1mb, or off';

/** Infinity means "off". */
export function parseDailyBytes(text: string): number | undefined {
  if (parseSwitch(text) === false) return Infinity;
  const size = SIZE.test(text) ? bytes.parse(text) : null;
  return size !== null && size >= 1024 * 1024 ? size : undefined;
}

export const RESERVE_RULE = 'must be a size such as 256mb, or off';

/** 0 means "off". */
export function parseReserve(text: string): number | undefined {
  if (parseSwitch(text) === false) return 0;
  return SIZE.test(text) ? (bytes.parse(text) ?? undefined) : undefined;
}

export function parseMaxAge(text: string): number | undefined {
  return /^\d{1,5}$/.test(text) && Number(text) <= 86_400 ? Number(text) * 1_000 : undefined;
}

/** Leaves a request that arrives at the end of the delay the full time of an answer until the drain ends. */
const MAX_DRAIN_DELAY_MS = TIME_BUDGETS_MS.drain - TIME_BUDGETS_MS.answer;
export const DRAIN_DELAY_RULE = `must be a number of seconds from 0 to ${MAX_DRAIN_DELAY_MS / 1_000}`;

export function parseDrainDelay(text: string): number | undefined {
  const delayMs = /^\d{1,2}(?:\.\d{1,3})?$/.test(text) ? Number(text) * 1_000 : Infinity;
  return delayMs <= MAX_DRAIN_DELAY_MS ? delayMs : undefined;
}

export const SPAN_RULE = 'must be a number of seconds, minutes, hours or days such as 1s, 30m, 12h, 400d';
const UNITS_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function parseSpan(text: string): number | undefined {
  const [, count, unit = ''] = /^([1-9]\d{0,4})([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  return unitMs === undefined ? undefined : Number(count) * unitMs;
}

export function parseServerId(text: string): string | undefined {
  return /^[A-Za-z0-9._-]{1,64}$/.test(text) ? text : undefined;
}

/** Other words are refused, because they would get the defaults for trying: demo keys and no rate limits. */
export const PRODUCTION_RULE = 'must be production, or for trying development, test or unset';

/** Parses NODE_ENV. */
export function parseProduction(text: string): boolean | undefined {
  return ['production', 'development', 'test'].includes(text) ? text === 'production' : undefined;
}

export function parseLogLevel(text: string): string | undefined {
  return LOG_LEVELS.includes(text) ? text : undefined;
}
