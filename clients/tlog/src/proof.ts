import { type SignedCheckpoint, verifyCheckpoint } from './checkpoint.js';
import { faultOf, type LogEntry, readEntry } from './entry.js';
import { decodeBase64, LogError } from './log-error.js';
import type { VerifierKey } from './note.js';
import type { Opening } from './opened-state.js';
import { isIncluded, leafHash } from './tree.js';

/*
 * Proofs of one state (c2sp.org/tlog-proof).
 */

export interface LogProof {
  /** Text of the entry, from `extra`. */
  entry: string;
  opening: Opening;
  place: number;
  hashes: Buffer[];
  /** A signed note. */
  checkpoint: string;
}

export interface VerifiedProof {
  entry: LogEntry;
  opening: Opening;
  place: number;
  checkpoint: SignedCheckpoint;
}

const FIRST_LINE = 'c2sp.org/tlog-proof@v1';

/** Reads a proof without verifying it. @throws LogError if it is malformed */
export function readProof(text: string): LogProof {
  const end = text.indexOf('\n\n');
  const [first, extra = '', index = '', ...hashes] = text.slice(0, Math.max(end, 0)).split('\n');
  const [, encoded] = /^extra (\S+)$/.exec(extra) ?? [];
  const [, place] = /^index (0|[1-9]\d{0,15})$/.exec(index) ?? [];
  if (first !== FIRST_LINE || encoded === undefined || place === undefined)
    throw new LogError('This is not a proof of a state');
  return {
    ...readExtra(decodeBase64(encoded, 'The extra data')),
    place: Number(place),
    hashes: hashes.map((one) => decodeBase64(one, 'A hash of the proof')),
    checkpoint: text.slice(end + 2),
  };
}

/** Formats a proof. @param proof its opening is null if the opening of the state was damaged */
export function printProof(proof: Omit<LogProof, 'opening'> & { opening: Opening | null }): string {
  const { entry, opening, place, hashes, checkpoint } = proof;
  return [
    FIRST_LINE,
    `extra ${Buffer.from(JSON.stringify({ entry, opening })).toString('base64')}`,
    `index ${place}`,
    ...hashes.map((hash) => hash.toString('base64')),
    '',
    checkpoint,
  ].join('\n');
}

/**
 * Verifies that the entry of a proof is in the log.
 * @param keys of the log @param witnesses optional; the result says which of them have signed
 * @throws LogError
 */
export function verifyProof(
  text: string,
  keys: readonly VerifierKey[],
  witnesses: readonly VerifierKey[] = [],
): VerifiedProof {
  const { entry, opening, place, hashes, checkpoint: note } = readProof(text);
  const checkpoint = verifyCheckpoint(note, keys, witnesses);
  if (!isIncluded(leafHash(entry), place, checkpoint, hashes))
    throw new LogError(`The proof does not lead from the entry at place ${place} to the root of the checkpoint`);
  return { entry: readEntry(entry), opening, place, checkpoint };
}

/**
 * Verifies that a state of an asset is in the log.
 * @param asset as the registry prints it
 * @throws LogError
 */
export function verifyState(
  asset: Readonly<Record<string, unknown>>,
  text: string,
  keys: readonly VerifierKey[],
  witnesses: readonly VerifierKey[] = [],
): VerifiedProof {
  const proof = verifyProof(text, keys, witnesses);
  const fault = faultOf(asset, proof.entry, proof.opening);
  if (fault !== undefined)
    throw new LogError(`The asset is not what the entry at place ${proof.place} binds: ${fault}`);
  return proof;
}

function readExtra(bytes: Buffer): Pick<LogProof, 'entry' | 'opening'> {
  try {
    const { entry, opening } = JSON.parse(bytes.toString()) as Record<string, unknown>;
    if (typeof entry === 'string') return { entry, opening: opening as Opening };
  } catch {
    // Reported below.
  }
  throw new LogError('The extra data of the proof has no entry');
}
