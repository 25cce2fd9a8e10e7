import { hash } from 'node:crypto';

/** An object, or a list with its indexes as names. */
export type Members = Readonly<Record<string, unknown>>;

/** Members set by the registry, hashed as one text. They are never erased, so they need no salt. */
const SET_BY_REGISTRY = ['id', 'assetID', 'assetType', 'status', 'owner', 'relatedLot'];
/** The entry contains the dates, and `redacted` is the list of erasures. */
const NOT_DIGESTED: ReadonlySet<string> = new Set([...SET_BY_REGISTRY, 'date', 'dateModified', 'redacted']);
/** Length of a secret as text: base64 of 32 bytes. */
export const SECRET_CHARACTERS = 44;
/** Deeper than any asset. */
const MAX_DEPTH = 64;

/** @param text of all other members, from `digestedText` */
export function commitmentOfText(asset: Members, text: string): string {
  return hash('sha256', JSON.stringify(SET_BY_REGISTRY.map((name) => asset[name])) + text, 'base64');
}

/** The members that have digests. */
export function committedMembers(asset: Members): Members {
  return Object.fromEntries(Object.entries(asset).filter(([name]) => !NOT_DIGESTED.has(name)));
}

/**
 * The digests of parts of a value that share one secret.
 * @param depth of the value in the state
 * @throws RangeError for a state that is deeper than any asset
 */
export function digestsOf(value: Members, names: readonly string[], secret: string, depth: number): string[] {
  if (depth > MAX_DEPTH) throw new RangeError('This state is deeper than any asset');
  const digests: string[] = [];
  const add = (from: number, to: number, shared: string): void => {
    if (to - from > 1) {
      const [first, second] = halvesOf(shared);
      const half = from + halfOf(to - from);
      add(from, half, first);
      add(half, to, second);
    } else if (to > from) digests.push(digestOf(value[names[from] as string], shared, depth + 1));
  };
  add(0, names.length, secret);
  return digests;
}

function digestOf(value: unknown, secret: string, depth: number): string {
  const names = namesIn(value);
  if (names.length === 0) return leafDigest(value, secret);
  return partsDigest(value as Members, names, digestsOf(value as Members, names, secret, depth));
}

/** @param value without parts */
export function leafDigest(value: unknown, secret: string): string {
  return hash('sha256', secret + JSON.stringify(value), 'base64');
}

export function partsDigest(value: Members, names: readonly string[], digests: readonly string[]): string {
  return hash('sha256', digestedText(value, names, digests), 'base64');
}

/** The JSON text of an object or a list, with digests instead of its parts. */
export function digestedText(value: Members, names: readonly string[], digests: readonly string[]): string {
  if (Array.isArray(value)) return `["${digests.join('","')}"]`;
  return `{${names.map((name, i) => `${JSON.stringify(name)}:"${digests[i]}"`).join(',')}}`;
}

/** The names of an object's members in the order of RFC 8785, or the indexes of a list; empty for other values. */
export function namesIn(value: unknown): string[] {
  if (!isObject(value)) return [];
  const names = Object.keys(value);
  return Array.isArray(value) ? names : names.sort();
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

/** How many of `count` parts belong to the first half of their secret. */
export function halfOf(count: number): number {
  return count >> 1;
}

/** Derives the secrets of the first and the second half of the parts of a secret. */
export function halvesOf(secret: string): [string, string] {
  const both = hash('sha512', secret, 'base64');
  return [both.slice(0, SECRET_CHARACTERS), both.slice(SECRET_CHARACTERS)];
}
