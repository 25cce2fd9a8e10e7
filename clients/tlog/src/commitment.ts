import { commitmentOfText, committedMembers, digestedText, digestsOf, type Members, namesIn } from './digests.js';
import { NotBoundError, OpenedState, type Opening } from './opened-state.js';

export const SECRET_BYTES = 32;

/**
 * The commitment to a printed asset: a hash of the members that the registry sets, and of the names and digests of all others. Source:
 * docs/decisions/0061.
 * @param secret 32 random bytes
 * @returns base64 of 32 bytes
 * @throws Error if the secret has another length, RangeError for a state that is deeper than any asset
 */
export function commitmentOf(asset: Members, secret: Buffer): string {
  if (secret.length !== SECRET_BYTES) throw new Error(`A secret has ${secret.length} bytes instead of ${SECRET_BYTES}`);
  const members = committedMembers(asset);
  const names = namesIn(members);
  const digests = digestsOf(members, names, secret.toString('base64'), 0);
  return commitmentOfText(asset, digestedText(members, names, digests));
}

/**
 * Whether a commitment is to this asset, apart from its dates.
 * @param asset as the registry prints it
 * @param commitment base64
 */
export function isBound(asset: Members, opening: Opening, commitment: string): boolean {
  try {
    return commitmentOfText(asset, new OpenedState(opening).textOf(committedMembers(asset))) === commitment;
  } catch (error) {
    if (error instanceof NotBoundError || error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Erases members from an opening. The commitment does not change.
 * @param asset before the erasure, with the values to erase
 * @param pointers of the members to erase (RFC 6901)
 * @throws NotBoundError if the opening does not belong to this asset, RangeError as `commitmentOf`
 */
export function erasedOpening(asset: Members, opening: Opening, pointers: readonly string[]): Opening {
  const opened = new OpenedState(opening, pointers);
  opened.textOf(committedMembers(asset));
  return opened.openingLeft;
}
