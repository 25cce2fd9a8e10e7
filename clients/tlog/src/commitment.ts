import { commitmentOfText, committedMembers, digestedText, digestsOf, type Members, namesIn } from './digests.js';
import { NotBoundError, OpenedState, type Opening } from './opened-state.js';

/** Length of the secret of an entry. */
export const SECRET_BYTES = 32;

/**
 * The commitment of a printed asset: a hash of what the registry sets, and of the names and digests of all other members. Source:
 * docs/decisions/0061.
 * @param secret 32 random bytes
 * @returns base64 of 32 bytes
 * @throws Error where the secret has another length, RangeError for a state that is deeper than any asset
 */
export function commitmentOf(asset: Members, secret: Buffer): string {
  if (secret.length !== SECRET_BYTES)
    throw new Error(`A secret has ${secret.length} bytes in the place of ${SECRET_BYTES}`);
  const members = committedMembers(asset);
  const names = namesIn(members);
  const digests = digestsOf(members, names, secret.toString('base64'), 0);
  return commitmentOfText(asset, digestedText(members, names, digests));
}

/**
 * Whether an asset, but for its dates, is what a commitment binds.
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
 * The opening of a state of which more is erased. The commitment stays.
 * @param asset as it was before, with the values that go
 * @param pointers of the members that go (RFC 6901)
 * @throws NotBoundError where the opening opens nothing of this asset, RangeError as `commitmentOf`
 */
export function erasedOpening(asset: Members, opening: Opening, pointers: readonly string[]): Opening {
  const opened = new OpenedState(opening, pointers);
  opened.textOf(committedMembers(asset));
  return opened.openingLeft;
}
