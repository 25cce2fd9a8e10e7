import { hash } from 'node:crypto';

/**
 * What shows that a state is the one that an entry binds; binary values in base64. While nothing is erased it is the secret of the entry;
 * then the secrets of what is left, in order, and the digests of what is not, by their pointers.
 */
export type Opening = { secret: string } | { secrets: string[]; erased: Record<string, string> };

type Members = Readonly<Record<string, unknown>>;

/** What the registry sets, which one text binds; what the entry says itself; and what tells that something was erased. */
const SET = ['id', 'assetID', 'assetType', 'status', 'owner', 'relatedLot'];
const NOT_DIGESTED: ReadonlySet<string> = new Set([...SET, 'date', 'dateModified', 'redacted']);
const SECRET_CHARACTERS = 44;
const SECRET = /^[A-Za-z0-9+/]{42}[A-Za-z0-9+/=]{2}$/;
const DIGEST = /^[A-Za-z0-9+/]{43}=$/;
/** No asset is as deep. */
const MOST_DEPTH = 64;

/**
 * Whether an asset, but for its dates, is what a commitment binds.
 * @param asset as the registry prints it
 * @param commitment base64
 */
export function isBound(asset: Members, opening: Opening, commitment: string): boolean {
  try {
    const members = Object.fromEntries(Object.entries(asset).filter(([name]) => !NOT_DIGESTED.has(name)));
    const text = new OpenedState('secret' in opening ? { secrets: [opening.secret], erased: {} } : opening).textOf(
      members,
    );
    return hash('sha256', JSON.stringify(SET.map((name) => asset[name])) + text, 'base64') === commitment;
  } catch (error) {
    if (error instanceof NotBound) return false;
    throw error;
  }
}

/** The asset, or what opens it, is none that the registry has made. */
class NotBound extends Error {}

/** Goes through a state in the order of the secrets that open it. */
class OpenedState {
  private readonly secrets: readonly string[];
  private readonly erased: ReadonlyMap<string, string>;
  /** What was erased, and all that it was a part of. */
  private readonly parted: ReadonlySet<string>;
  /** The names of what was erased, by what it was in. */
  private readonly names = new Map<string, string[]>();
  private secretsUsed = 0;
  private erasedUsed = 0;

  constructor({ secrets, erased }: Extract<Opening, { erased: object }>) {
    this.secrets = secrets;
    this.erased = new Map(Object.entries(erased));
    this.parted = withParents(this.erased.keys());
    for (const pointer of this.erased.keys()) {
      const end = pointer.lastIndexOf('/');
      const name = pointer
        .slice(end + 1)
        .replaceAll('~1', '/')
        .replaceAll('~0', '~');
      const parent = pointer.slice(0, Math.max(end, 0));
      this.names.set(parent, [...(this.names.get(parent) ?? []), name]);
    }
  }

  /** The text of all members, with their digests. @throws NotBound */
  textOf(members: Members): string {
    const names = this.namesOf(members, '');
    const text = textOf(members, names, this.digests(members, names, '', undefined));
    // What is told to be erased, and was never there, would be believed.
    if (this.erasedUsed !== this.erased.size) throw new NotBound();
    return text;
  }

  private namesOf(value: unknown, pointer: string): string[] {
    const names = namesIn(value);
    const erased = isObject(value) && !Array.isArray(value) ? this.names.get(pointer) : undefined;
    return erased === undefined ? names : [...new Set([...names, ...erased])].sort();
  }

  /** Of parts that stand together. @param secret for all of them, if there is one */
  private digests(value: Members, names: readonly string[], pointer: string, secret: string | undefined): string[] {
    if (names.length === 0) return [];
    const pointers = names.map((name) => `${pointer}/${escaped(name)}`);
    const isParted = secret === undefined && pointers.some((one) => this.parted.has(one));
    if (!isParted) return digestsOf(value, names, secret ?? this.nextSecret(), 0);
    if (names.length === 1) return [this.digest(partOf(value, names[0] as string), pointers[0] as string)];
    const half = names.length >> 1;
    const first = this.digests(value, names.slice(0, half), pointer, undefined);
    return [...first, ...this.digests(value, names.slice(half), pointer, undefined)];
  }

  /** Of what was erased, or something of it. */
  private digest(value: unknown, pointer: string): string {
    const erased = this.erased.get(pointer);
    if (erased === undefined) {
      const names = this.namesOf(value, pointer);
      if (names.length === 0) throw new NotBound();
      return partsDigest(value as Members, names, this.digests(value as Members, names, pointer, undefined));
    }
    // What is gone is not there, or a commitment could hold two values; a longer digest could be several.
    if (value !== undefined || !DIGEST.test(erased)) throw new NotBound();
    this.erasedUsed++;
    return erased;
  }

  private nextSecret(): string {
    const secret = this.secrets[this.secretsUsed++] ?? '';
    if (!SECRET.test(secret)) throw new NotBound();
    return secret;
  }
}

/** Of parts of a value that a secret is for: each half of them has a half of its hash. */
function digestsOf(value: Members, names: readonly string[], secret: string, depth: number): string[] {
  if (depth > MOST_DEPTH) throw new NotBound();
  if (names.length === 1) return [digestOf(value[names[0] as string], secret, depth + 1)];
  const half = names.length >> 1;
  const both = hash('sha512', secret, 'base64');
  return [
    ...digestsOf(value, names.slice(0, half), both.slice(0, SECRET_CHARACTERS), depth),
    ...digestsOf(value, names.slice(half), both.slice(SECRET_CHARACTERS), depth),
  ];
}

function digestOf(value: unknown, secret: string, depth: number): string {
  const names = namesIn(value);
  if (names.length === 0) return hash('sha256', secret + JSON.stringify(value), 'base64');
  return partsDigest(value as Members, names, digestsOf(value as Members, names, secret, depth));
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

/** An object has members of its own only. */
function partOf(value: Members, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function withParents(pointers: Iterable<string>): Set<string> {
  const all = new Set<string>();
  for (const pointer of pointers)
    for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) all.add(pointer.slice(0, end));
  return all;
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
