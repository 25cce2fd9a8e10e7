import { hash } from 'node:crypto';
import { committedLeaves, isWithin, type Leaf } from './leaves.js';

/**
 * What shows that a state is the one that a commitment binds; binary values in base64. While nothing is erased it is the secret of the
 * entry; then the salts of the leaves that are left, and the digests of those that are not.
 */
export type Opening = { secret: string } | { salts: Record<string, string>; erased: string[] };

const SALT_BYTES = 16;

/** Binds a printed asset. Source: docs/decisions/0052. @param secret 32 random bytes @returns base64 of 32 bytes */
export function commitmentOf(asset: Readonly<Record<string, unknown>>, secret: Buffer): string {
  return bound(committedLeaves(asset).map((leaf) => digestOf(leaf, saltOf(leaf.pointer, secret))));
}

/** Whether a printed asset is what a commitment binds. */
export function isBound(asset: Readonly<Record<string, unknown>>, opening: Opening, commitment: string): boolean {
  const digests: Buffer[] = 'erased' in opening ? opening.erased.map((digest) => Buffer.from(digest, 'base64')) : [];
  for (const leaf of committedLeaves(asset)) {
    const salt = saltIn(opening, leaf.pointer);
    if (salt !== undefined) digests.push(digestOf(leaf, salt));
    else if (!isEmptied(leaf, asset)) return false;
  }
  return bound(digests) === commitment;
}

/**
 * The opening of a state of which more is erased. The commitment stays.
 * @param asset as it was before, with the values that go
 * @param pointers of what goes, with all that is below
 */
export function erasedOpening(
  asset: Readonly<Record<string, unknown>>,
  opening: Opening,
  pointers: readonly string[],
): Opening {
  const erased = 'erased' in opening ? [...opening.erased] : [];
  const salts: Record<string, string> = {};
  for (const leaf of committedLeaves(asset)) {
    const salt = saltIn(opening, leaf.pointer);
    // A state that is not what was committed to stays so.
    if (salt === undefined) continue;
    if (pointers.some((pointer) => isWithin(leaf.pointer, pointer)))
      erased.push(digestOf(leaf, salt).toString('base64'));
    else salts[leaf.pointer] = salt.toString('base64');
  }
  return { salts, erased: erased.toSorted() };
}

/** An object or a list of which everything was erased: it was no leaf before. */
function isEmptied({ pointer, json }: Leaf, { redacted }: Readonly<Record<string, unknown>>): boolean {
  const erased = Array.isArray(redacted) ? (redacted as { pointer?: unknown }[]) : [];
  return (json === '{}' || json === '[]') && erased.some((one) => String(one.pointer).startsWith(`${pointer}/`));
}

function saltIn(opening: Opening, pointer: string): Buffer | undefined {
  if ('secret' in opening) return saltOf(pointer, Buffer.from(opening.secret, 'base64'));
  const salt = Object.hasOwn(opening.salts, pointer) ? opening.salts[pointer] : undefined;
  return salt === undefined ? undefined : Buffer.from(salt, 'base64');
}

function saltOf(pointer: string, secret: Buffer): Buffer {
  return hash('sha256', Buffer.concat([secret, Buffer.from(pointer)]), 'buffer').subarray(0, SALT_BYTES);
}

function digestOf({ pointer, json }: Leaf, salt: Buffer): Buffer {
  return hash('sha256', Buffer.concat([salt, Buffer.from(`[${JSON.stringify(pointer)},${json}]`)]), 'buffer');
}

function bound(digests: readonly Buffer[]): string {
  return hash('sha256', Buffer.concat(digests.toSorted((one, other) => Buffer.compare(one, other))), 'base64');
}
