import { hash } from 'node:crypto';
import { committedLeaves, isWithinAny, type Leaf } from './leaves.js';

/**
 * What shows that a state is the one that a commitment binds; binary values in base64. While nothing is erased it is the secret of the
 * entry; then the salts of the leaves that are left, and the digests of those that are not, both by their pointers.
 */
export type Opening = { secret: string } | { salts: Record<string, string>; erased: Record<string, string> };

const SALT_BYTES = 16;
/** Small hashes are made of a buffer that is there already, and come as strings with a character for each byte: others cost three times as much. */
const room = Buffer.allocUnsafe(8_192);
const MOST_BYTES_EACH = 3;

/** Binds a printed asset. Source: docs/decisions/0052. @param secret 32 random bytes @returns base64 of 32 bytes */
export function commitmentOf(asset: Readonly<Record<string, unknown>>, secret: Buffer): string {
  const key = secret.toString('latin1');
  return bound(committedLeaves(asset).map((leaf) => digestOf(leaf, saltOf(leaf.pointer, key))));
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
  const erased = 'erased' in opening ? { ...opening.erased } : {};
  const salts: Record<string, string> = {};
  const gone = new Set(pointers);
  for (const leaf of committedLeaves(asset)) {
    const salt = saltIn(opening, leaf.pointer);
    // A state that is not what was committed to stays so.
    if (salt === undefined) continue;
    if (isWithinAny(leaf.pointer, gone)) erased[leaf.pointer] = toBase64(digestOf(leaf, salt));
    else salts[leaf.pointer] = toBase64(salt);
  }
  return { salts, erased };
}

function saltIn(opening: Opening, pointer: string): string | undefined {
  if ('secret' in opening) return saltOf(pointer, fromBase64(opening.secret));
  const salt = Object.hasOwn(opening.salts, pointer) ? opening.salts[pointer] : undefined;
  return salt === undefined ? undefined : fromBase64(salt);
}

function saltOf(pointer: string, secret: string): string {
  return hashOf(secret, pointer).slice(0, SALT_BYTES);
}

function digestOf({ pointer, json }: Leaf, salt: string): string {
  return hashOf(salt, `[${JSON.stringify(pointer)},${json}]`);
}

/** SHA-256 with a character for each byte. @param start the same way @param text in UTF-8 */
function hashOf(start: string, text: string): string {
  if (start.length + MOST_BYTES_EACH * text.length > room.length)
    return hash('sha256', Buffer.concat([Buffer.from(start, 'latin1'), Buffer.from(text)]), 'binary');
  room.write(start, 'latin1');
  return hash('sha256', room.subarray(0, start.length + room.write(text, start.length)), 'binary');
}

/** Strings of bytes are sorted as the bytes are. */
function bound(digests: readonly string[]): string {
  return hash('sha256', Buffer.from(digests.toSorted().join(''), 'latin1'), 'base64');
}

function toBase64(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('base64');
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('latin1');
}
