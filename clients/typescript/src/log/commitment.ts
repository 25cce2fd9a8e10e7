import { createHash, hash } from 'node:crypto';

/**
 * What shows that a state is the one that an entry binds; binary values in base64. While nothing is erased it is the secret of the entry;
 * then the salts of what is left, and the digests of what is not, by their pointers.
 */
export type Opening = { secret: string } | { salts: Record<string, string>; erased: Record<string, string> };

type Members = Readonly<Record<string, unknown>>;

/** What the registry sets, which one text binds; what the entry says itself; and what tells that something was erased. */
const SET = ['id', 'assetID', 'assetType', 'status', 'owner', 'relatedLot'];
const NO_LEAVES: ReadonlySet<string> = new Set([...SET, 'date', 'dateModified', 'redacted']);
const SECRET_BYTES = 32;
const SALT_BYTES = 18;
const SALT_CHARACTERS = 24;
const SALT = /^[A-Za-z0-9+/]{24}$/;
const DIGEST = /^[A-Za-z0-9+/]{43}=$/;
/** Lists may be long. */
const MOST_PLACES = 8_192;
/** More than the pointers of an asset take, in characters. Of what is deep and wide they would take thousands of times as much as itself. */
const MOST_POINTERS = 64 * 1024 * 1024;

/** Where a value stands. Assets have the same places again and again: what is made of a pointer is made once. */
class Place {
  private json: string | undefined;
  private readonly below = new Map<string, Place>();

  /** @param pointer RFC 6901 */
  constructor(readonly pointer: string) {}

  /** The pointer as JSON text. */
  get text(): string {
    return (this.json ??= JSON.stringify(this.pointer));
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

/**
 * Whether an asset, but for its dates, is what a commitment binds.
 * @param asset as the registry prints it
 * @param commitment base64
 */
export function isBound(asset: Members, opening: Opening, commitment: string): boolean {
  const leaves = leavesOf(asset);
  if (leaves === undefined) return false;
  const digests =
    'secret' in opening ? withSecret(leaves.sort(inOrder), opening.secret) : withSalts(leaves, opening)?.sort(inOrder);
  if (digests === undefined) return false;
  const setText = JSON.stringify(SET.map((name) => asset[name]));
  return hash('sha256', setText + digests.map(({ digest }) => digest).join(''), 'base64') === commitment;
}

/** Where a value stands that has no members or items. */
interface At {
  pointer: string;
}

/** The JSON texts of pointer and value, one behind the other. */
interface Leaf extends At {
  text: string;
}

interface Digest extends At {
  /** Base64. */
  digest: string;
}

function inOrder(one: At, other: At): number {
  return one.pointer < other.pointer ? -1 : 1;
}

/** @returns undefined of what no registry takes */
function leavesOf(asset: Members): Leaf[] | undefined {
  const leaves: Leaf[] = [];
  let characters = 0;
  const left: { value: unknown; place: Place }[] = [];
  for (const name of Object.keys(asset))
    if (!NO_LEAVES.has(name)) left.push({ value: asset[name], place: ROOT.to(name) });
  // By itself, and not by calls: whoever serves it may have made it deeper than the stack.
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const { value, place } = at;
    const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    if (names.length === 0) {
      characters += place.pointer.length;
      if (characters > MOST_POINTERS) return undefined;
      leaves.push({ pointer: place.pointer, text: place.text + JSON.stringify(value) });
    }
    for (const name of names) left.push({ value: (value as Members)[name], place: place.to(name) });
  }
  return leaves;
}

/** @param leaves in their order @returns undefined where the secret is none */
function withSecret(leaves: readonly Leaf[], base64: string): Digest[] | undefined {
  const secret = Buffer.from(base64, 'base64');
  if (secret.length !== SECRET_BYTES) return undefined;
  const salts = createHash('shake256', { outputLength: SALT_BYTES * leaves.length })
    .update(secret)
    .digest('base64');
  return leaves.map((leaf, i) => digestOf(salts.slice(SALT_CHARACTERS * i, SALT_CHARACTERS * (i + 1)), leaf));
}

/** The same of a state of which something was erased; undefined where what is left is not what there was. */
function withSalts(
  leaves: readonly Leaf[],
  { salts, erased }: Extract<Opening, { salts: object }>,
): Digest[] | undefined {
  const digests = Object.entries(erased).map(([pointer, digest]) => ({ pointer, digest }));
  // One that is longer could be several, and one of nothing would tell that there was more, and bind nothing.
  if (!digests.every(({ digest }) => DIGEST.test(digest))) return undefined;
  const parted = partedBy(erased);
  for (const leaf of leaves) {
    const { pointer } = leaf;
    // What is gone is not there, or a commitment could hold two values.
    if (isWithinAny(pointer, erased)) return undefined;
    const salt = Object.hasOwn(salts, pointer) ? salts[pointer] : undefined;
    if (parted.has(pointer)) {
      // Everything in it was erased: as an empty one it was never bound, and it was nothing else.
      if (salt !== undefined || !isEmpty(leaf)) return undefined;
    } else if (salt !== undefined && SALT.test(salt)) digests.push(digestOf(salt, leaf));
    else return undefined;
  }
  return digests;
}

/** Whether it, or what it is a part of, is among some. */
function isWithinAny(pointer: string, some: Readonly<Record<string, string>>): boolean {
  for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1))
    if (Object.hasOwn(some, pointer.slice(0, end))) return true;
  return false;
}

/** The pointers of all that something was erased of. */
function partedBy(erased: Readonly<Record<string, string>>): ReadonlySet<string> {
  const parted = new Set<string>();
  for (const pointer of Object.keys(erased))
    for (let end = pointer.lastIndexOf('/'); end > 0; end = pointer.lastIndexOf('/', end - 1))
      parted.add(pointer.slice(0, end));
  return parted;
}

function isEmpty({ text }: Leaf): boolean {
  return text.endsWith('{}') || text.endsWith('[]');
}

function digestOf(salt: string, { pointer, text }: Leaf): Digest {
  return { pointer, digest: hash('sha256', salt + text, 'base64') };
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
