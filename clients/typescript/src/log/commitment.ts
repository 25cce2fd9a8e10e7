import { hash } from 'node:crypto';

/**
 * What shows that a state is the one that an entry binds; binary values in base64. While nothing is erased it is the secret of the entry;
 * then the salts of what is left, and the digests of what is not, by their pointers.
 */
export type Opening = { secret: string } | { salts: Record<string, string>; erased: Record<string, string> };

type Members = Readonly<Record<string, unknown>>;

/** What the entry says itself, and what tells that something was erased. */
const NOT_BOUND: ReadonlySet<string> = new Set(['date', 'dateModified', 'redacted']);
const SECRET_BYTES = 32;
const SALT_BYTES = 16;
const DIGEST_BYTES = 32;
const ROOM_BYTES = 2_048;
const MOST_BYTES_EACH = 3;
/** Lists may be long. */
const MOST_PLACES = 8_192;

/** Where a value stands. Assets have the same places again and again: what is made of a pointer is made once. */
class Place {
  /** What stands before the value in what is hashed. */
  readonly start: Buffer;
  /** What a salt is the hash of: room for a secret, and the pointer. */
  readonly salted: Buffer;
  private readonly below = new Map<string, Place>();

  /** @param pointer RFC 6901 */
  constructor(readonly pointer: string) {
    this.start = Buffer.from(`[${JSON.stringify(pointer)},`);
    this.salted = Buffer.concat([Buffer.alloc(SECRET_BYTES), Buffer.from(pointer)]);
  }

  /** Of a member or an item. */
  to(name: string): Place {
    const known = this.below.get(name);
    if (known !== undefined) return known;
    const place = new Place(`${this.pointer}/${escaped(name)}`);
    if (places < MOST_PLACES) {
      this.below.set(name, place);
      places++;
    }
    return place;
  }
}

const ROOT = new Place('');
let places = 0;
/** Salts and what stands behind them, where it fits: a state has dozens of leaves. */
const room = Buffer.alloc(ROOM_BYTES);
/** The first bytes of the room, by how many they are. */
const views: Buffer[] = [];

/**
 * Whether an asset, but for its dates, is what a commitment binds.
 * @param asset as the registry prints it
 * @param commitment base64
 */
export function isBound(asset: Members, opening: Opening, commitment: string): boolean {
  const leaves: Leaf[] = [];
  for (const name of Object.keys(asset)) if (!NOT_BOUND.has(name)) collect(asset[name], ROOT.to(name), leaves);
  const digests = 'secret' in opening ? withSecret(leaves, opening.secret) : withSalts(leaves, opening);
  if (digests === undefined) return false;
  // Bytes as text are sorted in the same order, and much faster.
  return hash('sha256', Buffer.from(digests.toSorted().join(''), 'latin1'), 'base64') === commitment;
}

/** A value that has no members or items, as JSON. */
interface Leaf {
  place: Place;
  json: string;
}

function collect(value: unknown, place: Place, leaves: Leaf[]): void {
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (names.length === 0) leaves.push({ place, json: JSON.stringify(value) });
  for (const name of names) collect((value as Members)[name], place.to(name), leaves);
}

/** Digests as bytes in texts; undefined where the secret is none. */
function withSecret(leaves: readonly Leaf[], base64: string): string[] | undefined {
  const secret = Buffer.from(base64, 'base64');
  if (secret.length !== SECRET_BYTES) return undefined;
  return leaves.map((leaf) => {
    leaf.place.salted.set(secret);
    return digestOf(hash('sha256', leaf.place.salted, 'binary').slice(0, SALT_BYTES), leaf);
  });
}

/** The same of a state of which something was erased; undefined where what is left is not what there was. */
function withSalts(leaves: readonly Leaf[], { salts, erased }: Extract<Opening, { salts: object }>) {
  const digests = Object.values(erased).map(bytesIn);
  // One of no bytes would tell that there was more, and bind nothing.
  if (digests.some(({ length }) => length !== DIGEST_BYTES)) return undefined;
  for (const leaf of leaves) {
    const { pointer } = leaf.place;
    // What is gone is not there, or a commitment could hold two values.
    if (isWithinAny(pointer, erased)) return undefined;
    const salt = Object.hasOwn(salts, pointer) ? bytesIn(salts[pointer] as string) : '';
    if (salt.length === SALT_BYTES) digests.push(digestOf(salt, leaf));
    // Everything in it was erased: as an empty one it was never bound.
    else if (!isEmpty(leaf) || !isEmptied(pointer, erased)) return undefined;
  }
  return digests;
}

/** Whether it, or what it is a part of, is among some. */
function isWithinAny(pointer: string, some: Readonly<Record<string, string>>): boolean {
  for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1))
    if (Object.hasOwn(some, pointer.slice(0, end))) return true;
  return false;
}

function isEmptied(pointer: string, erased: Readonly<Record<string, string>>): boolean {
  return Object.keys(erased).some((one) => one.startsWith(`${pointer}/`));
}

function isEmpty({ json }: Leaf): boolean {
  return json === '{}' || json === '[]';
}

/** Of the salt, and the JSON text of a pointer with its value; as bytes in a text. */
function digestOf(salt: string, { place: { start }, json }: Leaf): string {
  const text = `${json}]`;
  const at = SALT_BYTES + start.length;
  if (at + MOST_BYTES_EACH * text.length > ROOM_BYTES)
    return hash('sha256', Buffer.concat([Buffer.from(salt, 'latin1'), start, Buffer.from(text)]), 'binary');
  room.write(salt, 'latin1');
  room.set(start, SALT_BYTES);
  const end = at + room.write(text, at);
  return hash('sha256', (views[end] ??= room.subarray(0, end)), 'binary');
}

function bytesIn(base64: string): string {
  return Buffer.from(base64, 'base64').toString('latin1');
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
