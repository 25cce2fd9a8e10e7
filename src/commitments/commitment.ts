import { hash } from 'node:crypto';
import { committedLeaves, isWithinAny, type Leaf } from './leaves.js';

/**
 * What shows that a state is the one that a commitment binds; binary values in base64. While nothing is erased it is the secret of the
 * entry; then the salts of the leaves that are left, and the digests of those that are not, both by their pointers.
 */
export type Opening = { secret: string } | { salts: Record<string, string>; erased: Record<string, string> };

const SECRET_BYTES = 32;
const SALT_BYTES = 16;
const ROOM_BYTES = 2_048;
const MOST_BYTES_EACH = 3;

/**
 * SHA-256 of a start and many small texts: of a buffer that is there already, and as strings with a character for each byte. Others cost
 * three times as much.
 */
class HashRoom {
  private readonly bytes = Buffer.allocUnsafe(ROOM_BYTES);
  /** The first bytes, by how many they are. */
  private readonly parts: Buffer[] = [];

  /** @param length of the start */
  constructor(private readonly length: number) {}

  /**
   * What the texts from here on stand behind.
   * @param start with a character for each byte; what is beyond its length does not count
   * @throws Error where it is shorter: bytes of another start would be taken for the rest
   */
  begin(start: string): void {
    if (this.bytes.write(start, 0, this.length, 'latin1') < this.length)
      throw new Error(`A secret or salt has ${start.length} bytes in the place of ${this.length}`);
  }

  /** @param text in UTF-8 */
  hash(text: string): string {
    const most = this.length + MOST_BYTES_EACH * text.length;
    if (most > ROOM_BYTES)
      return hash('sha256', Buffer.concat([this.bytes.subarray(0, this.length), Buffer.from(text)]), 'binary');
    const end = this.length + this.bytes.write(text, this.length);
    return hash('sha256', (this.parts[end] ??= this.bytes.subarray(0, end)), 'binary');
  }
}

const salts = new HashRoom(SECRET_BYTES);
const digests = new HashRoom(SALT_BYTES);

/** Binds a printed asset. Source: docs/decisions/0052. @param secret 32 random bytes @returns base64 of 32 bytes */
export function commitmentOf(asset: Readonly<Record<string, unknown>>, secret: Buffer): string {
  salts.begin(secret.toString('latin1'));
  return bound(committedLeaves(asset).map((leaf) => digestOf(leaf, salts.hash(leaf.pointer))));
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
  const left: Record<string, string> = {};
  const gone = new Set(pointers);
  for (const leaf of committedLeaves(asset)) {
    const salt = saltIn(opening, leaf.pointer);
    // A state that is not what was committed to stays so.
    if (salt === undefined) continue;
    if (isWithinAny(leaf.pointer, gone)) erased[leaf.pointer] = toBase64(digestOf(leaf, salt));
    else left[leaf.pointer] = toBase64(salt);
  }
  return { salts: left, erased };
}

function saltIn(opening: Opening, pointer: string): string | undefined {
  if ('secret' in opening) return saltOf(pointer, fromBase64(opening.secret));
  const salt = Object.hasOwn(opening.salts, pointer) ? opening.salts[pointer] : undefined;
  return salt === undefined ? undefined : fromBase64(salt);
}

function saltOf(pointer: string, secret: string): string {
  salts.begin(secret);
  return salts.hash(pointer).slice(0, SALT_BYTES);
}

function digestOf({ pointer, json }: Leaf, salt: string): string {
  digests.begin(salt);
  return digests.hash(`[${JSON.stringify(pointer)},${json}]`);
}

/** Strings of bytes are sorted as the bytes are. */
function bound(all: readonly string[]): string {
  return hash('sha256', Buffer.from(all.toSorted().join(''), 'latin1'), 'base64');
}

function toBase64(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('base64');
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('latin1');
}
