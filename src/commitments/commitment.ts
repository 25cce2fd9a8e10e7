import { createHash, hash } from 'node:crypto';
import { committedLeaves, isWithinAny, type Leaf } from './leaves.js';

/**
 * What shows that a state is the one that a commitment binds; binary values in base64. While nothing is erased it is the secret of the
 * entry; then the salts of the leaves that are left, and the digests of those that are not, both by their pointers.
 */
export type Opening = { secret: string } | { salts: Record<string, string>; erased: Record<string, string> };

/** Length of the secret that the salts of a state are made of. */
export const SECRET_BYTES = 32;
const SALT_BYTES = 18;
const SALT_CHARACTERS = 24;

type Printed = Readonly<Record<string, unknown>>;

/**
 * The commitment of a printed asset: a hash of what the registry sets, and of the salted digests of the leaves. Source: docs/decisions/0061.
 * @param secret 32 random bytes
 * @returns base64 of 32 bytes
 * @throws Error where the secret has another length
 */
export function commitmentOf(asset: Printed, secret: Buffer): string {
  const leaves = committedLeaves(asset);
  const salts = saltsOf(secret, leaves.length);
  const digests = leaves.map((leaf, i) => digestOf(leaf, saltAt(salts, i)));
  return hash('sha256', setTextOf(asset) + digests.join(''), 'base64');
}

/**
 * The opening of a state of which more is erased. The commitment stays.
 * @param asset as it was before, with the values that go
 * @param pointers of what goes, with all that is below (RFC 6901)
 * @throws Error where the secret has another length
 */
export function erasedOpening(asset: Printed, opening: Opening, pointers: readonly string[]): Opening {
  const leaves = committedLeaves(asset);
  const { salts, erased } = inSalts(opening, leaves);
  const opened = { salts: {} as Record<string, string>, erased: { ...erased } };
  const gone = new Set(pointers);
  for (const leaf of leaves) {
    const { pointer } = leaf;
    const salt = Object.hasOwn(salts, pointer) ? salts[pointer] : undefined;
    // A state that is not what was committed to stays so.
    if (salt === undefined) continue;
    if (isWithinAny(pointer, gone)) opened.erased[pointer] = digestOf(leaf, salt);
    else opened.salts[pointer] = salt;
  }
  return opened;
}

/** The same opening without a secret. */
function inSalts(opening: Opening, leaves: readonly Leaf[]): Extract<Opening, { salts: object }> {
  if ('salts' in opening) return opening;
  const salts = saltsOf(Buffer.from(opening.secret, 'base64'), leaves.length);
  return { salts: Object.fromEntries(leaves.map(({ pointer }, i) => [pointer, saltAt(salts, i)])), erased: {} };
}

/** What the registry sets is never erased, so it needs no salt; dates the entry says itself. */
function setTextOf({ id, assetID, assetType, status, owner, relatedLot }: Printed): string {
  return JSON.stringify([id, assetID, assetType, status, owner, relatedLot]);
}

/** The salts of so many leaves, one behind the other: one call for all of them takes as long as a few hashes. */
function saltsOf(secret: Buffer, leaves: number): string {
  if (secret.length !== SECRET_BYTES)
    throw new Error(`A secret has ${secret.length} bytes in the place of ${SECRET_BYTES}`);
  return createHash('shake256', { outputLength: SALT_BYTES * leaves })
    .update(secret)
    .digest('base64');
}

function saltAt(salts: string, place: number): string {
  return salts.slice(SALT_CHARACTERS * place, SALT_CHARACTERS * (place + 1));
}

function digestOf({ text }: Leaf, salt: string): string {
  return hash('sha256', salt + text, 'base64');
}
