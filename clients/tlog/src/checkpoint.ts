import { decodeBase64, LogError } from './log-error.js';
import { isSigned, type Note, readNote, signaturesOf, type VerifierKey } from './note.js';
import { HASH_BYTES } from './tree.js';

/*
 * Checkpoints (c2sp.org/tlog-checkpoint) and their cosignatures (c2sp.org/tlog-cosignature).
 */

/** The state of a log at one moment. */
export interface Checkpoint {
  origin: string;
  /** Number of entries. */
  size: number;
  /** 32 bytes. */
  root: Buffer;
}

/** A checkpoint with valid signatures. */
export interface SignedCheckpoint extends Checkpoint {
  /** The original text, with its signatures. */
  note: string;
  /** The given keys that have signed: at least one. */
  signedBy: VerifierKey[];
  /** The given witnesses that have signed, and when. */
  cosignedBy: { witness: VerifierKey; at: Date }[];
}

const TIME_BYTES = 8;

/** The text of a checkpoint, without signatures. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${root.toString('base64')}\n`;
}

/**
 * Reads a checkpoint and verifies its signatures; those of unknown keys are ignored.
 * @param keys of the log
 * @throws LogError if a signature of a known key is invalid, or none of `keys` has signed
 */
export function verifyCheckpoint(
  note: string,
  keys: readonly VerifierKey[],
  witnesses: readonly VerifierKey[] = [],
): SignedCheckpoint {
  const read = readNote(note);
  const checkpoint = readBody(read);
  checkKind(keys, 'log');
  checkKind(witnesses, 'witness');
  const signedBy = signaturesOf(read, keys).map(({ key }) => key);
  if (signedBy.length === 0) {
    const known = keys.map(({ name, id }) => `${name}+${id}`).join(', ') || 'no key';
    throw new LogError(`The checkpoint is not signed by ${known}`);
  }
  const cosignatures = signaturesOf(read, witnesses, isCosigned);
  const cosignedBy = cosignatures.map(({ key, signature }) => ({ witness: key, at: timeOf(signature) }));
  return { ...checkpoint, note, signedBy, cosignedBy };
}

/** Reads a checkpoint without verifying its signatures. @throws LogError if it is malformed */
export function readCheckpoint(note: string): Checkpoint {
  return readBody(readNote(note));
}

function readBody({ text }: Note): Checkpoint {
  const [origin = '', size = '', root = '', ...others] = text.slice(0, -1).split('\n');
  if (origin === '' || !/^(?:0|[1-9]\d{0,15})$/.test(size) || others.includes(''))
    throw new LogError('This is not a checkpoint');
  const bytes = decodeBase64(root, 'The root of the checkpoint');
  if (bytes.length !== HASH_BYTES || !Number.isSafeInteger(Number(size)))
    throw new LogError('This is not a checkpoint');
  return { origin, size: Number(size), root: bytes };
}

function checkKind(keys: readonly VerifierKey[], kind: VerifierKey['kind']): void {
  const other = keys.find((key) => key.kind !== kind);
  if (other !== undefined) throw new LogError(`The verifier key ${other.name}+${other.id} is not of a ${kind}`);
}

/** Whether a witness has signed a checkpoint. @param text of the checkpoint */
export function isCosigned(key: VerifierKey, text: string, signature: Buffer): boolean {
  if (signature.length <= TIME_BYTES) return false;
  const message = `cosignature/v1\ntime ${signature.readBigUInt64BE()}\n${text}`;
  return isSigned(key, message, signature.subarray(TIME_BYTES));
}

/** When a witness signed, from its signature. */
export function timeOf(signature: Buffer): Date {
  return new Date(Number(signature.readBigUInt64BE()) * 1_000);
}
