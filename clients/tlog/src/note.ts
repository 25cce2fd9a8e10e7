import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { bytesOf, LogError } from './log-error.js';

/*
 * Signed notes (c2sp.org/signed-note) with Ed25519.
 */

/** What a signature says: that a log, or that a witness has signed. */
type KeyKind = 'log' | 'witness';

/** A verifier key. */
export interface VerifierKey {
  name: string;
  /** 8 hex digits. */
  id: string;
  kind: KeyKind;
  key: KeyObject;
  /** As it was written. */
  text: string;
}

/** One line of a note. */
export interface NoteSignature {
  name: string;
  /** 8 hex digits. */
  id: string;
  signature: Buffer;
}

export interface Note {
  /** What is signed, with its last newline. */
  text: string;
  signatures: NoteSignature[];
}

const TYPES: Readonly<Record<number, KeyKind>> = { 1: 'log', 4: 'witness' };
const KEY_BYTES = 32;
const ID_BYTES = 4;
/** What stands before the 32 bytes in DER. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const MAX_SIGNATURES = 100;
const MAX_CHARACTERS = 1_000_000;
/** Other control characters than the newline. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/;
const SIGNATURE = /^— ([^\s+]+) ([A-Za-z0-9+/=]+)$/;

/**
 * Reads `<name>+<id>+<base64>`: a key of a log, or one of a witness.
 * @throws LogError for anything else
 */
export function readVerifierKey(text: string): VerifierKey {
  const [, name = '', id = '', encoded = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text) ?? [];
  if (encoded === '') throw new LogError(`"${text}" is no verifier key: it is <name>+<8 hex digits>+<base64>`);
  const bytes = bytesOf(encoded, 'A verifier key');
  const kind = TYPES[bytes[0] as number];
  if (kind === undefined || bytes.length !== 1 + KEY_BYTES)
    throw new LogError(`The verifier key ${name}+${id} is not of Ed25519`);
  if (keyId(name, bytes) !== id)
    throw new LogError(`The verifier key ${name}+${id} is damaged: its number is that of another one`);
  const key = createPublicKey({ key: Buffer.concat([SPKI, bytes.subarray(1)]), format: 'der', type: 'spki' });
  return { name, id, kind, key, text };
}

/** The same key under another name: a registry names its keys after the origin of its log, which ends with the feed's epoch. */
export function renamedKey({ text, kind, key }: VerifierKey, name: string): VerifierKey {
  const encoded = text.slice(text.indexOf('+', text.indexOf('+') + 1) + 1);
  const id = keyId(name, Buffer.from(encoded, 'base64'));
  return { name, id, kind, key, text: `${name}+${id}+${encoded}` };
}

/** Reads a note without looking whether its signatures hold. @throws LogError for anything else */
export function readNote(note: string): Note {
  const end = note.lastIndexOf('\n\n');
  const lines = note.slice(end + 2).split('\n');
  if (end <= 0 || lines.pop() !== '' || lines.length === 0 || CONTROL.test(note) || note.length > MAX_CHARACTERS)
    throw new LogError('This is no signed note');
  if (lines.length > MAX_SIGNATURES) throw new LogError(`The note has more than ${MAX_SIGNATURES} signatures`);
  return { text: note.slice(0, end + 1), signatures: lines.map(readSignature) };
}

/** The signatures of a note that can be read, whatever else stands there. None of them need hold. */
export function readableSignatures(note: string): NoteSignature[] {
  const lines = note.slice(note.lastIndexOf('\n\n') + 2).split('\n');
  return lines.flatMap((line) => findSignature(line) ?? []);
}

/** A line of a note that signs it, with its newline. */
export function signatureLine({ name, id, signature }: NoteSignature): string {
  return `— ${name} ${Buffer.concat([Buffer.from(id, 'hex'), signature]).toString('base64')}\n`;
}

/**
 * The signatures of a note that are of these keys.
 * @param isGood whether a signature of a key holds for a text
 * @throws LogError where one of them does not hold
 */
export function signaturesOf(
  { text, signatures }: Note,
  keys: readonly VerifierKey[],
  isGood: (key: VerifierKey, text: string, signature: Buffer) => boolean = isSigned,
): { key: VerifierKey; signature: Buffer }[] {
  const found = new Map<VerifierKey, Buffer>();
  for (const { name, id, signature } of signatures) {
    const key = keys.find((one) => one.name === name && one.id === id);
    if (key === undefined) continue;
    if (!isGood(key, text, signature)) throw new LogError(`The signature of ${name}+${id} does not hold`);
    found.set(key, signature);
  }
  return Array.from(found, ([key, signature]) => ({ key, signature }));
}

export function isSigned({ key }: VerifierKey, text: string, signature: Buffer): boolean {
  return verify(null, Buffer.from(text), key, signature);
}

/**
 * The id of a key in signed notes.
 * @param encoded a byte for the kind of the key, and its public bytes
 * @returns 8 hex digits
 */
export function keyId(name: string, encoded: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), encoded]), 'hex').slice(0, 2 * ID_BYTES);
}

function readSignature(line: string): NoteSignature {
  const signature = findSignature(line);
  if (signature === undefined) throw new LogError('The note has a signature that cannot be read');
  return signature;
}

function findSignature(line: string): NoteSignature | undefined {
  const [, name, encoded = ''] = SIGNATURE.exec(line) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  if (name === undefined || bytes.toString('base64') !== encoded || bytes.length <= ID_BYTES) return undefined;
  return { name, id: bytes.toString('hex', 0, ID_BYTES), signature: bytes.subarray(ID_BYTES) };
}
