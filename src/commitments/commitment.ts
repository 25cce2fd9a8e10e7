import { hash } from 'node:crypto';
import { committedLeaves, isWithinAny, type Leaf, type Place, SECRET_BYTES } from './leaves.js';

/**
 * What shows that a state is the one that a commitment binds; binary values in base64. While nothing is erased it is the secret of the
 * entry; then the salts of the leaves that are left, and the digests of those that are not, both by their pointers.
 */
export type Opening = { secret: string } | { salts: Record<string, string>; erased: Record<string, string> };

const SALT_BYTES = 16;
const ROOM_BYTES = 2_048;
const MOST_BYTES_EACH = 3;
const BRACKET = 0x5d;

/** Salts and what stands behind them, where it fits: buffers that are there already cost a third of new ones. */
const room = Buffer.allocUnsafe(ROOM_BYTES);
/** The first bytes of the room, by the place of the last one. */
const views: Buffer[] = [];

/**
 * The commitment of a printed asset: a hash of the salted digests of its leaves. Source: docs/decisions/0052.
 * @param secret 32 random bytes
 * @returns base64 of 32 bytes
 * @throws Error where the secret has another length
 */
export function commitmentOf(asset: Readonly<Record<string, unknown>>, secret: Buffer): string {
  const digests = committedLeaves(asset).map((leaf) => leafDigest(leaf, saltOf(leaf.place, secret)));
  // Strings of bytes are sorted as the bytes are.
  return hash('sha256', Buffer.from(digests.toSorted().join(''), 'latin1'), 'base64');
}

/**
 * The opening of a state of which more is erased. The commitment stays.
 * @param asset as it was before, with the values that go
 * @param pointers of what goes, with all that is below (RFC 6901)
 * @throws Error where a secret or salt of the opening has another length
 */
export function erasedOpening(
  asset: Readonly<Record<string, unknown>>,
  opening: Opening,
  pointers: readonly string[],
): Opening {
  const erased = 'erased' in opening ? { ...opening.erased } : {};
  const left: Record<string, string> = {};
  const gone = new Set(pointers);
  for (const leaf of committedLeaves(asset)) {
    const { pointer } = leaf.place;
    const salt = saltIn(opening, leaf.place);
    // A state that is not what was committed to stays so.
    if (salt === undefined) continue;
    if (isWithinAny(pointer, gone)) erased[pointer] = toBase64(leafDigest(leaf, salt));
    else left[pointer] = toBase64(salt);
  }
  return { salts: left, erased };
}

function saltIn(opening: Opening, place: Place): string | undefined {
  if ('secret' in opening) return saltOf(place, Buffer.from(opening.secret, 'base64'));
  const salt = Object.hasOwn(opening.salts, place.pointer) ? opening.salts[place.pointer] : undefined;
  return salt === undefined ? undefined : Buffer.from(salt, 'base64').toString('latin1');
}

/** @returns a character for each byte */
function saltOf({ salted }: Place, secret: Buffer): string {
  assertLength(secret, SECRET_BYTES);
  salted.set(secret);
  return hash('sha256', salted, 'binary').slice(0, SALT_BYTES);
}

/** @returns a character for each byte */
function leafDigest({ place: { start }, json }: Leaf, salt: string): string {
  assertLength(salt, SALT_BYTES);
  const at = SALT_BYTES + start.length;
  if (at + MOST_BYTES_EACH * json.length >= ROOM_BYTES)
    return hash('sha256', Buffer.concat([Buffer.from(salt, 'latin1'), start, Buffer.from(`${json}]`)]), 'binary');
  room.write(salt, 'latin1');
  room.set(start, SALT_BYTES);
  const end = at + room.write(json, at);
  room[end] = BRACKET;
  return hash('sha256', (views[end] ??= room.subarray(0, end + 1)), 'binary');
}

/** Behind another length, what was there before would be hashed as well. */
function assertLength({ length }: Buffer | string, wanted: number): void {
  if (length !== wanted) throw new Error(`A secret or salt has ${length} bytes in the place of ${wanted}`);
}

function toBase64(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('base64');
}
