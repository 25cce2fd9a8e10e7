import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { keyId, readableSignatures, signatureLine } from '#tlog';

/*
 * Keys and signatures of C2SP signed-note with Ed25519. Private keys have the format of Go's sumdb/note.
 */

const PREFIX = 'PRIVATE+KEY+';
const ED25519 = Buffer.of(1);
const SEED_BYTES = 32;
/** The prefix of an Ed25519 seed in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
/** Characters of a URL without its scheme; signed-note excludes spaces and plus signs. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._~:/-]{0,150}$/;
const HOW = 'make a key with "registry log init NAME FILE"';

/** The signing keys of a log with their common name: one, or several during a key rotation. */
export class LogKeys {
  private constructor(
    /** From `registry log init`; origins begin with it. */
    readonly name: string,
    private readonly keys: readonly KeyObject[],
  ) {}

  /** @param text a line for each key @throws Error whose message does not contain the key */
  static parse(text: string): LogKeys {
    const lines = text.split('\n').flatMap((line) => line.trim() || []);
    const read = lines.map(parseLine);
    const [first] = read;
    if (first === undefined) throw new Error(`it contains no key: ${HOW}`);
    if (read.some(({ name }) => name !== first.name)) throw new Error('its keys have different names: a log has one');
    return new LogKeys(
      first.name,
      read.map(({ key }) => key),
    );
  }

  /** The origin of the log of an epoch: NAME/EPOCH. */
  originOf(epoch: string): string {
    return `${this.name}/${epoch}`;
  }

  /** The verifier keys of an origin, in the format of signed-note. */
  verifierKeys(origin: string): string[] {
    return this.keys.map((key) => {
      const encoded = encodedPublic(key);
      return `${origin}+${keyId(origin, encoded)}+${encoded.toString('base64')}`;
    });
  }

  /** Whether all keys have signed a note of an origin. */
  haveSigned(origin: string, note: string): boolean {
    const ids = new Set(readableSignatures(note).map(({ id }) => id));
    return this.keys.every((key) => ids.has(keyId(origin, encodedPublic(key))));
  }

  /** Signs a note (C2SP signed-note) with all keys. @param text ends with a newline */
  sign(origin: string, text: string): string {
    const lines = this.keys.map((key) => {
      const id = keyId(origin, encodedPublic(key));
      return signatureLine({ name: origin, id, signature: sign(null, Buffer.from(text), key) });
    });
    return `${text}\n${lines.join('')}`;
  }
}

/** Generates a private key. @throws Error if the name is invalid */
export function newLogKey(name: string): string {
  if (!NAME.test(name) || name.endsWith('/') || name.includes('://'))
    throw new Error(
      `${name} cannot be the name of a log: use its address without https://, such as registry.example.org/api/0.1/log`,
    );
  const { d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const seed = Buffer.from(d, 'base64url');
  const id = keyId(name, encodedPublic(toKey(seed)));
  return `${PREFIX}${name}+${id}+${Buffer.concat([ED25519, seed]).toString('base64')}`;
}

function parseLine(line: string): { name: string; key: KeyObject } {
  const [name = '', id = '', ...base64] = line.startsWith(PREFIX) ? line.slice(PREFIX.length).split('+') : [];
  // The base64 of the key may contain a plus.
  const bytes = Buffer.from(base64.join('+'), 'base64');
  if (!NAME.test(name) || bytes.length !== SEED_BYTES + 1 || bytes[0] !== ED25519[0])
    throw new Error(`a line of it is not ${PREFIX}…: ${HOW}`);
  const key = toKey(bytes.subarray(1));
  if (keyId(name, encodedPublic(key)) !== id) throw new Error(`the key of ${name} is damaged: its id does not match`);
  return { name, key };
}

function toKey(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
}

function encodedPublic(key: KeyObject): Buffer {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return Buffer.concat([ED25519, Buffer.from(x, 'base64url')]);
}
