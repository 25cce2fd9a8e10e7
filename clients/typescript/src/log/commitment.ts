import { hash } from 'node:crypto';

/**
 * What shows that a state is the one that an entry binds; binary values in base64. While nothing is erased it is the secret of the entry;
 * then the salts of what is left, and the digests of what is not.
 */
export type Opening = { secret: string } | { salts: Record<string, string>; erased: string[] };

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
  const salted = saltsOf(opening);
  const digests = 'erased' in opening ? opening.erased.map((digest) => Buffer.from(digest, 'base64')) : [];
  const collect = (value: unknown, pointer: string): boolean => {
    const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    if (members.length > 0) return members.every(([name, member]) => collect(member, `${pointer}/${escaped(name)}`));
    const salt = salted(pointer);
    // Everything in it was erased: as an empty one it was never bound.
    if (salt === undefined) return typeof value === 'object' && value !== null && isEmptied(pointer, asset);
    const text = `[${JSON.stringify(pointer)},${JSON.stringify(value)}]`;
    digests.push(hash('sha256', Buffer.concat([salt, Buffer.from(text)]), 'buffer'));
    return true;
  };
  const isComplete = Object.entries(asset)
    .filter(([name]) => !NOT_BOUND.has(name))
    .every(([name, value]) => collect(value, `/${escaped(name)}`));
  if (!isComplete) return false;
  digests.sort((one, other) => Buffer.compare(one, other));
  return hash('sha256', Buffer.concat(digests), 'base64') === commitment;
}

function saltsOf(opening: Opening): (pointer: string) => Buffer | undefined {
  if ('secret' in opening) {
    const secret = Buffer.from(opening.secret, 'base64');
    return (pointer) => hash('sha256', Buffer.concat([secret, Buffer.from(pointer)]), 'buffer').subarray(0, SALT_BYTES);
  }
  const { salts } = opening;
  return (pointer) => (Object.hasOwn(salts, pointer) ? Buffer.from(salts[pointer] as string, 'base64') : undefined);
}

function isEmptied(pointer: string, { redacted }: Members): boolean {
  if (!Array.isArray(redacted)) return false;
  return (redacted as { pointer?: unknown }[]).some((one) => String(one.pointer).startsWith(`${pointer}/`));
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
