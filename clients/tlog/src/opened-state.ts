import {
  digestedText,
  digestsOf,
  halfOf,
  halvesOf,
  isObject,
  leafDigest,
  type Members,
  namesIn,
  partsDigest,
} from './digests.js';
import { escaped, namesByParent, withParents } from './pointers.js';

/**
 * Proves that an entry's commitment is to a state; binary values in base64. Without erasures it is the secret of the entry; otherwise the
 * secrets of the remaining parts, in order, and the digests of the erased ones, by pointer.
 */
export type Opening = { secret: string } | { secrets: string[]; erased: Record<string, string> };

/** The position of a part in a state. */
interface At {
  pointer: string;
  /** Undefined if only parts of it have secrets. */
  secret: string | undefined;
  /** False inside a part that is being erased. */
  isLeft: boolean;
}

const SECRET = /^[A-Za-z0-9+/]{42}[A-Za-z0-9+/=]{2}$/;
const DIGEST = /^[A-Za-z0-9+/]{43}=$/;

/** The opening does not belong to the asset, or one of them was tampered with. */
export class NotBoundError extends Error {}

/** Traverses a state once, in the order of its secrets, and may erase parts on the way. */
export class OpenedState {
  private readonly secrets: readonly string[];
  private readonly erased: ReadonlyMap<string, string>;
  /** Pointers of the parts erased earlier, and of their parents. */
  private readonly splitBefore: ReadonlySet<string>;
  /** Pointers of the parts being erased, and of their parents. */
  private readonly splitNow: ReadonlySet<string>;
  private readonly erasing: ReadonlySet<string>;
  private readonly namesErased: ReadonlyMap<string, string[]>;
  private secretsUsed = 0;
  private erasedUsed = 0;
  private readonly secretsLeft: string[] = [];
  private readonly erasedNow: Record<string, string> = {};

  /** @param pointers of the members to erase (RFC 6901) */
  constructor(opening: Opening, pointers: readonly string[] = []) {
    const { secrets, erased } = 'secret' in opening ? { secrets: [opening.secret], erased: {} } : opening;
    this.secrets = secrets;
    this.erased = new Map(Object.entries(erased));
    this.namesErased = namesByParent(this.erased.keys());
    this.splitBefore = withParents(this.erased.keys());
    this.splitNow = withParents(pointers);
    this.erasing = new Set(pointers);
  }

  /**
   * The text of all members, with their digests.
   * @throws NotBoundError if the opening does not belong to them, RangeError for a state that is deeper than any asset
   */
  textOf(members: Members): string {
    const names = this.names(members, '');
    const digests = this.digests(members, names, { pointer: '', secret: undefined, isLeft: true });
    // An opening must not claim the erasure of a member that never existed.
    if (this.erasedUsed !== this.erased.size) throw new NotBoundError('A digest does not belong to the state');
    return digestedText(members, names, digests);
  }

  /** The opening after the erasure. Available after `textOf`. */
  get openingLeft(): Opening {
    return { secrets: this.secretsLeft, erased: this.erasedNow };
  }

  /** The digests of adjacent parts. Splits their common secret only if some of them are erased. */
  private digests(value: Members, names: readonly string[], at: At): string[] {
    const pointers = names.map((name) => `${at.pointer}/${escaped(name)}`);
    if (pointers.length === 0) return [];
    const isSplit = pointers.some((one) => this.splitBefore.has(one));
    const secret = at.secret ?? (isSplit ? undefined : this.nextSecret());
    if (secret !== undefined && !(at.isLeft && pointers.some((one) => this.splitNow.has(one)))) {
      if (at.isLeft) this.secretsLeft.push(secret);
      return digestsOf(value, names, secret, depthOf(at.pointer));
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
    const before = this.digestBefore(value, pointer);
    const names = before === undefined ? this.names(value, pointer) : [];
    const isErased = this.erasing.has(pointer);
    const digest = before ?? this.digestOf(value, names, { pointer, secret, isLeft: isLeft && !isErased });
    if (isLeft && (isErased || before !== undefined)) this.erasedNow[pointer] = digest;
    return digest;
  }

  /** The stored digest of a part erased earlier. */
  private digestBefore(value: unknown, pointer: string): string | undefined {
    const before = this.erased.get(pointer);
    if (before === undefined) return undefined;
    // An erased part must be absent, or a commitment could match two values; a longer text could be several digests.
    if (value !== undefined || !DIGEST.test(before)) throw new NotBoundError(`${pointer} is not erased`);
    this.erasedUsed++;
    return before;
  }

  private digestOf(value: unknown, names: readonly string[], at: At): string {
    if (names.length > 0) return partsDigest(value as Members, names, this.digests(value as Members, names, at));
    if (at.secret === undefined) throw new NotBoundError(`Nothing opens ${at.pointer}`);
    return leafDigest(value, at.secret);
  }

  /** The names of the parts of a value, including erased ones. */
  private names(value: unknown, pointer: string): string[] {
    const erased = isObject(value) && !Array.isArray(value) ? this.namesErased.get(pointer) : undefined;
    return erased === undefined ? namesIn(value) : [...new Set([...namesIn(value), ...erased])].sort();
  }

  private nextSecret(): string {
    const secret = this.secrets[this.secretsUsed++] ?? '';
    if (!SECRET.test(secret)) throw new NotBoundError('A secret is missing or malformed');
    return secret;
  }
}

function depthOf(pointer: string): number {
  return pointer.split('/').length - 1;
}

function partOf(value: Members, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
