import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { keyId, readableSignatures, signatureLine } from '#tlog';

/*
 * Keys and signatures of C2SP signed-note with Ed25519; private keys are written as Go's sumdb/note writes them.
 */

const PREFIX = 'PRIVATE+KEY+';
const ED25519 = Buffer.of(1);
const SEED_BYTES = 32;
/** What stands before the 32 bytes of an Ed25519 seed in PKCS #8. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
/** Neither spaces nor a plus, as signed-note wants it; what a URL without its scheme has. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._~:/-]{0,150}$/;
const HOW = 'make a key with "registry log init NAME FILE"';

/** What signs: one name, and a key or, while keys are changed, several. */
export class LogKeys {
  private constructor(
    /** As `registry log init` was given it; origins begin with it. */
    readonly name: string,
    private readonly keys: readonly KeyObject[],
  ) {}

  /** @param text a line for each key @throws Error that says what is wrong, without the key */
  static parse(text: string): LogKeys {
    const lines = text.split('\n').flatMap((line) => line.trim() || []);
    const read = lines.map(parseLine);
    const [first] = read;
    if (first === undefined) throw new Error(`there is no key in it: ${HOW}`);
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

  /** The verifier keys of an origin, as signed-note writes them. */
  verifierKeys(origin: string): string[] {
    return this.keys.map((key) => {
      const encoded = encodedPublic(key);
      return `${origin}+${keyId(origin, encoded)}+${encoded.toString('base64')}`;
    });
  }

  /** Whether each of them has signed a note of an origin. */
  haveSigned(origin: string, note: string): boolean {
    const ids = new Set(readableSignatures(note).map(({ id }) => id));
    return this.keys.every((key) => ids.has(keyId(origin, encodedPublic(key))));
  }

  /** A note (C2SP signed-note) with a signature by each key. @param text ends with a newline */
  sign(origin: string, text: string): string {
    const lines = this.keys.map((key) => {
      const id = keyId(origin, encodedPublic(key));
      return signatureLine({ name: origin, id, signature: sign(null, Buffer.from(text), key) });
    });
    return `${text}\n${lines.join('')}`;
  }
}

/** A new private key. @throws Error where the name cannot be one */
export function newLogKey(name: string): string {
  if (!NAME.test(name) || name.endsWith('/') || name.includes('://'))
    throw new Error(
      `${name} cannot be the name of a log: it is what its address is without https://, such as registry.example.org/api/0.1/log`,
    );
  const { d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const seed = Buffer.from(d, 'base64url');
  const id = keyId(name, encodedPublic(toKey(seed)));
  return `${PREFIX}${name}+${id}+${Buffer.concat([ED25519, seed]).toString('base64')}`;
}

function parseLine(line: string): { name: string; key: KeyObject } {
  const [name = '', id = '', ...base64] = line.startsWith(PREFIX) ? line.slice(PREFIX.length).split('+') : [];
  // The key's own text may hold a plus.
  const bytes = Buffer.from(base64.join('+'), 'base64');
  if (!NAME.test(name) || bytes.length !== SEED_BYTES + 1 || bytes[0] !== ED25519[0])
    throw new Error(`a line of it is no ${PREFIX}…: ${HOW}`);
  const key = toKey(bytes.subarray(1));
  if (keyId(name, encodedPublic(key)) !== id)
    throw new Error(`the key of ${name} is not as it was written: its id is another one`);
  return { name, key };
}

function toKey(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
}

function encodedPublic(key: KeyObject): Buffer {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return Buffer.concat([ED25519, Buffer.from(x, 'base64url')]);
}
