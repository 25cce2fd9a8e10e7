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
 * What shows that a state is the one that an entry binds; binary values in base64. While nothing is erased it is the secret of the entry;
 * then the secrets of what is left, in order, and the digests of what is not, by their pointers.
 */
export type Opening = { secret: string } | { secrets: string[]; erased: Record<string, string> };

/** Where in a state it is. */
interface At {
  pointer: string;
  /** Of this part; undefined where only parts of it have one. */
  secret: string | undefined;
  /** False within what goes. */
  isLeft: boolean;
}

const SECRET = /^[A-Za-z0-9+/]{42}[A-Za-z0-9+/=]{2}$/;
const DIGEST = /^[A-Za-z0-9+/]{43}=$/;

/** The asset, or what opens it, is none that the registry has made. */
export class NotBoundError extends Error {}

/** Goes once through a state, in the order of the secrets that open it. More may be erased of it on the way. */
export class OpenedState {
  private readonly secrets: readonly string[];
  private readonly erased: ReadonlyMap<string, string>;
  /** What was erased, and all that it was a part of. */
  private readonly partedBefore: ReadonlySet<string>;
  /** The same of what is erased now. */
  private readonly partedNow: ReadonlySet<string>;
  private readonly gone: ReadonlySet<string>;
  private readonly namesErased: ReadonlyMap<string, string[]>;
  private secretsUsed = 0;
  private erasedUsed = 0;
  private readonly secretsLeft: string[] = [];
  private readonly erasedNow: Record<string, string> = {};

  /** @param pointers of the members that are erased now (RFC 6901) */
  constructor(opening: Opening, pointers: readonly string[] = []) {
    const { secrets, erased } = 'secret' in opening ? { secrets: [opening.secret], erased: {} } : opening;
    this.secrets = secrets;
    this.erased = new Map(Object.entries(erased));
    this.namesErased = namesByParent(this.erased.keys());
    this.partedBefore = withParents(this.erased.keys());
    this.partedNow = withParents(pointers);
    this.gone = new Set(pointers);
  }

  /**
   * The text of all members, with their digests.
   * @throws NotBoundError where the opening does not open them, RangeError for a state that is deeper than any asset
   */
  textOf(members: Members): string {
    const names = this.names(members, '');
    const digests = this.digests(members, names, { pointer: '', secret: undefined, isLeft: true });
    // What is told to be erased, and was never there, would be believed.
    if (this.erasedUsed !== this.erased.size) throw new NotBoundError('A digest is of nothing in the state');
    return digestedText(members, names, digests);
  }

  /** What opens the state when all that was named is erased. Known after `textOf`. */
  get openingLeft(): Opening {
    return { secrets: this.secretsLeft, erased: this.erasedNow };
  }

  /** The digests of parts that stand together. A secret that is for all of them stays one. */
  private digests(value: Members, names: readonly string[], at: At): string[] {
    const pointers = names.map((name) => `${at.pointer}/${escaped(name)}`);
    if (pointers.length === 0) return [];
    const isParted = pointers.some((one) => this.partedBefore.has(one));
    const secret = at.secret ?? (isParted ? undefined : this.nextSecret());
    if (secret !== undefined && !(at.isLeft && pointers.some((one) => this.partedNow.has(one)))) {
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
    const goes = this.gone.has(pointer);
    const digest = before ?? this.digestOf(value, names, { pointer, secret, isLeft: isLeft && !goes });
    if (isLeft && (goes || before !== undefined)) this.erasedNow[pointer] = digest;
    return digest;
  }

  /** Of what was erased before. */
  private digestBefore(value: unknown, pointer: string): string | undefined {
    const before = this.erased.get(pointer);
    if (before === undefined) return undefined;
    // What is gone is not there, or a commitment could hold two values; a longer digest could be several.
    if (value !== undefined || !DIGEST.test(before)) throw new NotBoundError(`${pointer} is not erased`);
    this.erasedUsed++;
    return before;
  }

  private digestOf(value: unknown, names: readonly string[], at: At): string {
    if (names.length > 0) return partsDigest(value as Members, names, this.digests(value as Members, names, at));
    if (at.secret === undefined) throw new NotBoundError(`Nothing opens ${at.pointer}`);
    return leafDigest(value, at.secret);
  }

  /** The names of the parts of a value, with those that were erased. */
  private names(value: unknown, pointer: string): string[] {
    const erased = isObject(value) && !Array.isArray(value) ? this.namesErased.get(pointer) : undefined;
    return erased === undefined ? namesIn(value) : [...new Set([...namesIn(value), ...erased])].sort();
  }

  private nextSecret(): string {
    const secret = this.secrets[this.secretsUsed++] ?? '';
    if (!SECRET.test(secret)) throw new NotBoundError('A secret is missing, or is none');
    return secret;
  }
}

function depthOf(pointer: string): number {
  return pointer.split('/').length - 1;
}

/** An object has members of its own only. */
function partOf(value: Members, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
