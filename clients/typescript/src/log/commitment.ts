import { hash } from 'node:crypto';

/**
 * What shows that a state is the one that an entry binds; binary values in base64. While nothing is erased it is the secret of the entry;
 * then the salts of what is left, and the digests of what is not, by their pointers.
 */
export type Opening = { secret: string } | { salts: Record<string, string>; erased: Record<string, string> };

type Members = Readonly<Record<string, unknown>>;

/** What the entry says itself, and what tells that something was erased. */
const NOT_BOUND: ReadonlySet<string> = new Set(['date', 'dateModified', 'redacted']);
const SALT_BYTES = 16;

/**
 * Whether an asset, but for its dates, is what a commitment binds.
 * @param asset as the registry prints it
 * @param commitment base64
 */
export function isBound(asset: Members, opening: Opening, commitment: string): boolean {
  const digestOf = digestsBy(opening);
  const erased = 'erased' in opening ? opening.erased : {};
  // Bytes as text: it is sorted in the same order, and much faster.
  const digests = Object.values(erased).map((one) => Buffer.from(one, 'base64').toString('latin1'));
  const collect = (value: unknown, pointer: string): boolean => {
    // What is gone is not there, or a commitment could hold two values.
    if (Object.hasOwn(erased, pointer)) return false;
    const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    if (members.length > 0) return members.every(([name, member]) => collect(member, `${pointer}/${escaped(name)}`));
    const digest = digestOf(pointer, value);
    // Everything in it was erased: as an empty one it was never bound.
    if (digest === undefined) return typeof value === 'object' && value !== null && isEmptied(pointer, erased);
    digests.push(digest);
    return true;
  };
  const isComplete = Object.entries(asset)
    .filter(([name]) => !NOT_BOUND.has(name))
    .every(([name, value]) => collect(value, `/${escaped(name)}`));
  return isComplete && hash('sha256', Buffer.from(digests.toSorted().join(''), 'latin1'), 'base64') === commitment;
}

/** @returns what gives the digest of a pointer and a value, and undefined for a pointer without salt */
function digestsBy(opening: Opening): (pointer: string, value: unknown) => string | undefined {
  const salted = saltsOf(opening);
  return (pointer, value) => {
    const salt = salted(pointer);
    if (salt === undefined) return undefined;
    return after(salt, `[${JSON.stringify(pointer)},${JSON.stringify(value)}]`);
  };
}

/** Salts as bytes in a text. */
function saltsOf(opening: Opening): (pointer: string) => string | undefined {
  if ('secret' in opening) {
    const secret = Buffer.from(opening.secret, 'base64').toString('latin1');
    return (pointer) => after(secret, pointer).slice(0, SALT_BYTES);
  }
  const { salts } = opening;
  return (pointer) =>
    Object.hasOwn(salts, pointer) ? Buffer.from(salts[pointer] as string, 'base64').toString('latin1') : undefined;
}

/** Made once: a state has dozens of leaves. */
let scratch = Buffer.alloc(4_096);

/** The hash of bytes and the text behind them, as bytes in a text. */
function after(bytes: string, text: string): string {
  const most = bytes.length + 3 * text.length;
  if (scratch.length < most) scratch = Buffer.alloc(2 * most);
  const begin = scratch.write(bytes, 0, 'latin1');
  const end = begin + scratch.write(text, begin);
  return hash('sha256', scratch.subarray(0, end), 'binary');
}

function isEmptied(pointer: string, erased: Readonly<Record<string, string>>): boolean {
  return Object.keys(erased).some((one) => one.startsWith(`${pointer}/`));
}

function escaped(name: string): string {
  return /[~/]/.test(name) ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name;
}
