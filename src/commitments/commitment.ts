import { hash } from 'node:crypto';
import { SERVICE_FIELDS } from '../asset-types/service-fields.js';
import { escaped, namesByParent, pointerParts, withParents } from './pointers.js';

/**
 * What shows that a state is the one that a commitment binds; all in base64. While nothing is erased it is the secret of the
 * entry; then the secrets of what is left, in order, and the digests of what was erased, by their pointers.
 */
export type Opening = { secret: string } | { secrets: string[]; erased: Record<string, string> };

/** Length of the secret of an entry. */
export const SECRET_BYTES = 32;
/** As text: in base64, as it is hashed. */
const SECRET_CHARACTERS = 44;
/** No asset is as deep. */
const MOST_DEPTH = 64;

type Members = Readonly<Record<string, unknown>>;

/**
 * The commitment of a printed asset: a hash of what the registry sets, and of the names and digests of all other members. Source:
 * docs/decisions/0061.
 * @param secret 32 random bytes
 * @returns base64 of 32 bytes
 * @throws Error where the secret has another length, RangeError for a state that is deeper than any asset
 */
export function commitmentOf(asset: Members, secret: Buffer): string {
  const members = committedMembers(asset);
  const names = namesIn(members);
  const digests = digestsOf(members, names, textOfSecret(secret), 0);
  return hash('sha256', setTextOf(asset) + textOf(members, names, digests), 'base64');
}

/**
 * The opening of a state of which more is erased. The commitment stays.
 * @param asset as it was before, with the values that go
 * @param pointers of the members that go (RFC 6901)
 * @throws Error where the opening opens nothing of this asset, RangeError as `commitmentOf`
 */
export function erasedOpening(asset: Members, opening: Opening, pointers: readonly string[]): Opening {
  const erasure = new Erasure('secret' in opening ? { secrets: [opening.secret], erased: {} } : opening, pointers);
  return erasure.openingOf(committedMembers(asset));
}

/** Goes once more through a state that something is erased of, in the order of its secrets. */
class Erasure {
  private readonly secrets: string[] = [];
  private readonly erased: Record<string, string> = {};
  private used = 0;
  private readonly partedBefore: ReadonlySet<string>;
  private readonly partedNow: ReadonlySet<string>;
  private readonly gone: ReadonlySet<string>;
  private readonly namesErased: ReadonlyMap<string, string[]>;

  constructor(
    private readonly before: Extract<Opening, { erased: object }>,
    pointers: readonly string[],
  ) {
    this.namesErased = namesByParent(Object.keys(before.erased));
    this.partedBefore = withParents(Object.keys(before.erased));
    this.partedNow = withParents(pointers);
    this.gone = new Set(pointers);
  }

  openingOf(members: Members): Opening {
    this.digests(members, this.names(members, ''), { pointer: '', secret: undefined, isLeft: true });
    return { secrets: this.secrets, erased: this.erased };
  }

  /** The digests of parts that stand together. A secret that is for all of them stays one. */
  private digests(value: Members, names: readonly string[], at: At): string[] {
    const pointers = names.map((name) => `${at.pointer}/${escaped(name)}`);
    if (pointers.length === 0) return [];
    const isParted = pointers.some((one) => this.partedBefore.has(one));
    const secret = at.secret ?? (isParted ? undefined : this.nextSecret());
    if (secret !== undefined && !(at.isLeft && pointers.some((one) => this.partedNow.has(one)))) {
      if (at.isLeft) this.secrets.push(secret);
      return digestsOf(value, names, secret, pointerParts(at.pointer).length);
    }
    const [name, pointer] = [names[0] as string, pointers[0] as string];
    if (names.length === 1) return [this.digest(partOf(value, name), { ...at, pointer, secret })];
    const half = halfOf(names.length);
    const [first, second] = secret === undefined ? [] : halvesOf(secret);
    return [
      ...this.digests(value, names.slice(0, half), { ...at, secret: first }),
      ...this.digests(value, names.slice(half), { ...at, secret: second }),
    ];
  }

  private digest(value: unknown, { pointer, secret, isLeft }: At): string {
    const before = this.before.erased[pointer];
    const names = before === undefined ? this.names(value, pointer) : [];
    const goes = this.gone.has(pointer);
    const at = { pointer, secret, isLeft: isLeft && !goes };
    const digest = before ?? this.digestOf(value, names, at);
    if (isLeft && (goes || before !== undefined)) this.erased[pointer] = digest;
    return digest;
  }

  private digestOf(value: unknown, names: readonly string[], at: At): string {
    if (names.length > 0) return partsDigest(value as Members, names, this.digests(value as Members, names, at));
    if (at.secret === undefined) throw new Error(`Nothing opens ${at.pointer}`);
    return leafDigest(value, at.secret);
  }

  /** Of the parts of a value, with those that were erased. */
  private names(value: unknown, pointer: string): string[] {
    const erased = isObject(value) && !Array.isArray(value) ? this.namesErased.get(pointer) : undefined;
    return erased === undefined ? namesIn(value) : [...new Set([...namesIn(value), ...erased])].sort();
  }

  private nextSecret(): string {
    const secret = this.before.secrets[this.used++] ?? '';
    if (secret.length === SECRET_CHARACTERS) return secret;
    throw new Error(`A secret has ${secret.length} characters in the place of ${SECRET_CHARACTERS}`);
  }
}

/** Where in a state it is. */
interface At {
  pointer: string;
  /** Of this part; undefined where only parts of it have one. */
  secret: string | undefined;
  /** False within what goes. */
  isLeft: boolean;
}

/** What the registry sets is never erased, so it needs no salt; dates the entry says itself. */
function setTextOf({ id, assetID, assetType, status, owner, relatedLot }: Members): string {
  return JSON.stringify([id, assetID, assetType, status, owner, relatedLot]);
}

function committedMembers(asset: Members): Members {
  return Object.fromEntries(Object.entries(asset).filter(([name]) => !SERVICE_FIELDS.has(name)));
}

/** The digests of parts of a value that a secret is for. */
function digestsOf(value: Members, names: readonly string[], secret: string, depth: number): string[] {
  if (depth > MOST_DEPTH) throw new RangeError('This state is deeper than any asset');
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

function leafDigest(value: unknown, secret: string): string {
  return hash('sha256', secret + JSON.stringify(value), 'base64');
}

function partsDigest(value: Members, names: readonly string[], digests: readonly string[]): string {
  return hash('sha256', textOf(value, names, digests), 'base64');
}

/** The JSON text of an object or a list, with digests in the place of its parts. */
function textOf(value: Members, names: readonly string[], digests: readonly string[]): string {
  if (Array.isArray(value)) return `["${digests.join('","')}"]`;
  return `{${names.map((name, i) => `${JSON.stringify(name)}:"${digests[i]}"`).join(',')}}`;
}

/** Of the members of an object in their order (RFC 8785), or of the items of a list; none of another value. */
function namesIn(value: unknown): string[] {
  if (!isObject(value)) return [];
  const names = Object.keys(value);
  return Array.isArray(value) ? names : names.sort();
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

function partOf(value: Members, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** How many of some parts the first half of their secret is for. */
function halfOf(count: number): number {
  return count >> 1;
}

/** The secrets of the first and of the second half of the parts that a secret is for. */
function halvesOf(secret: string): [string, string] {
  const both = hash('sha512', secret, 'base64');
  return [both.slice(0, SECRET_CHARACTERS), both.slice(SECRET_CHARACTERS)];
}

function textOfSecret(secret: Buffer): string {
  if (secret.length === SECRET_BYTES) return secret.toString('base64');
  throw new Error(`A secret has ${secret.length} bytes in the place of ${SECRET_BYTES}`);
}
