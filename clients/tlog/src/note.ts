import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { decodeBase64, LogError } from './log-error.js';

/*
 * Signed notes (c2sp.org/signed-note) with Ed25519.
 */

type KeyKind = 'log' | 'witness';

export interface VerifierKey {
  name: string;
  /** 8 hex digits. */
  id: string;
  kind: KeyKind;
  key: KeyObject;
  /** The original text. */
  text: string;
}

/** A signature line of a note. */
export interface NoteSignature {
  name: string;
  /** 8 hex digits. */
  id: string;
  signature: Buffer;
}

export interface Note {
  /** The signed text, with its last newline. */
  text: string;
  signatures: NoteSignature[];
}

const TYPES: Readonly<Record<number, KeyKind>> = { 1: 'log', 4: 'witness' };
const KEY_BYTES = 32;
const ID_BYTES = 4;
/** The prefix of an Ed25519 key in DER. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
const MAX_SIGNATURES = 100;
const MAX_CHARACTERS = 1_000_000;
/** Control characters other than the newline. */
// oxlint-disable-next-line no-control-regex -- it must match them
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/;
const SIGNATURE = /^— ([^\s+]+) ([A-Za-z0-9+/=]+)$/;

/**
 * Reads the key of a log or a witness: `<name>+<id>+<base64>`.
 * @throws LogError for anything else
 */
export function readVerifierKey(text: string): VerifierKey {
  const [, name = '', id = '', encoded = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text) ?? [];
  if (encoded === '') throw new LogError(`"${text}" is not a verifier key: expected <name>+<8 hex digits>+<base64>`);
  const bytes = decodeBase64(encoded, 'A verifier key');
  const kind = TYPES[bytes[0] as number];
  if (kind === undefined || bytes.length !== 1 + KEY_BYTES)
    throw new LogError(`The verifier key ${name}+${id} is not Ed25519`);
  if (keyId(name, bytes) !== id) throw new LogError(`The verifier key ${name}+${id} is damaged: its id does not match`);
  const key = createPublicKey({ key: Buffer.concat([SPKI, bytes.subarray(1)]), format: 'der', type: 'spki' });
  return { name, id, kind, key, text };
}

/** The same key under another name. A registry's keys have the name of its log's origin, which ends with the feed's epoch. */
export function renamedKey({ text, kind, key }: VerifierKey, name: string): VerifierKey {
  const encoded = text.slice(text.indexOf('+', text.indexOf('+') + 1) + 1);
  const id = keyId(name, Buffer.from(encoded, 'base64'));
  return { name, id, kind, key, text: `${name}+${id}+${encoded}` };
}

/** Reads a note without verifying its signatures. @throws LogError if it is malformed */
export function readNote(note: string): Note {
  const end = note.lastIndexOf('\n\n');
  const lines = note.slice(end + 2).split('\n');
  if (end <= 0 || lines.pop() !== '' || lines.length === 0 || CONTROL.test(note) || note.length > MAX_CHARACTERS)
    throw new LogError('This is not a signed note');
  if (lines.length > MAX_SIGNATURES) throw new LogError(`The note has more than ${MAX_SIGNATURES} signatures`);
  return { text: note.slice(0, end + 1), signatures: lines.map(readSignature) };
}

/** The well-formed signature lines of a note, not verified; other lines are ignored. */
export function readableSignatures(note: string): NoteSignature[] {
  const lines = note.slice(note.lastIndexOf('\n\n') + 2).split('\n');
  return lines.flatMap((line) => findSignature(line) ?? []);
}

/** Formats a signature line, with its newline. */
export function signatureLine({ name, id, signature }: NoteSignature): string {
  return `— ${name} ${Buffer.concat([Buffer.from(id, 'hex'), signature]).toString('base64')}\n`;
}

/**
 * The signatures of a note by these keys.
 * @param isValid verifies a signature
 * @throws LogError if one of them is invalid
 */
export function signaturesOf(
  { text, signatures }: Note,
  keys: readonly VerifierKey[],
  isValid: (key: VerifierKey, text: string, signature: Buffer) => boolean = isSigned,
): { key: VerifierKey; signature: Buffer }[] {
  const found = new Map<VerifierKey, Buffer>();
  for (const { name, id, signature } of signatures) {
    const key = keys.find((one) => one.name === name && one.id === id);
    if (key === undefined) continue;
    if (!isValid(key, text, signature)) throw new LogError(`The signature of ${name}+${id} is invalid`);
    found.set(key, signature);
  }
  return Array.from(found, ([key, signature]) => ({ key, signature }));
}

export function isSigned({ key }: VerifierKey, text: string, signature: Buffer): boolean {
  return verify(null, Buffer.from(text), key, signature);
}

/**
 * The id of a key in signed notes.
 * @param encoded a byte for the type of the key, and its public bytes
 * @returns 8 hex digits
 */
export function keyId(name: string, encoded: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), encoded]), 'hex').slice(0, 2 * ID_BYTES);
}

function readSignature(line: string): NoteSignature {
  const signature = findSignature(line);
  if (signature === undefined) throw new LogError('The note has a malformed signature');
  return signature;
}

function findSignature(line: string): NoteSignature | undefined {
  const [, name, encoded = ''] = SIGNATURE.exec(line) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  if (name === undefined || bytes.toString('base64') !== encoded || bytes.length <= ID_BYTES) return undefined;
  return { name, id: bytes.toString('hex', 0, ID_BYTES), signature: bytes.subarray(ID_BYTES) };
}
