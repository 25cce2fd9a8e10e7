import { createHash, createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { follow } from './pages.js';
import type { Sender } from './registry.js';
import { until } from './until.js';

/*
 * Reads a registry's log by the specifications alone, without the registry's code.
 */

export const LOG = '/api/0.1/log';

/** An entry of `log/assets`. */
export interface SeenEntry {
  place: number;
  entry: string;
  opening: { secret: string } | { secrets: string[]; erased: Record<string, string> };
  asset: Record<string, unknown> | null;
}

export interface SeenCheckpoint {
  origin: string;
  size: number;
  root: string;
  note: string;
}

export const sha256 = (...parts: (string | Buffer)[]): Buffer =>
  hash('sha256', Buffer.concat(parts.map((part) => Buffer.from(part))), 'buffer');
export const leafOf = (entry: string | Buffer): Buffer => sha256(Buffer.of(0), entry);

/** RFC 6962, section 2.1. */
export function merkleRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length < 2) return leaves[0] ?? sha256();
  const k = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  return sha256(Buffer.of(1), merkleRoot(leaves.slice(0, k)), merkleRoot(leaves.slice(k)));
}

export function checkpointIn(note: string): SeenCheckpoint {
  const [origin = '', size = '', root = ''] = note.split('\n');
  return { origin, size: Number(size), root, note };
}

export async function readCheckpoint(registry: Sender): Promise<SeenCheckpoint> {
  const { status, text } = await registry.send(`${LOG}/checkpoint`);
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return checkpointIn(text);
}

/** The checkpoint, once the log has `size` entries. */
export async function checkpointOf(registry: Sender, size: number): Promise<SeenCheckpoint> {
  await until(async () => (await registry.send(`${LOG}/checkpoint`)).text.split('\n')[1] === String(size));
  return readCheckpoint(registry);
}

/** All entries, page after page. */
export function readLog(registry: Sender, limit = 100): Promise<SeenEntry[]> {
  return follow(registry, `${LOG}/assets?limit=${limit}`);
}

/** The public key in a verifier key. */
export function publicKeyOf(verifierKey: string): KeyObject {
  const encoded = Buffer.from(verifierKey.split('+').slice(2).join('+'), 'base64');
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: encoded.subarray(1).toString('base64url') };
  return createPublicKey({ key: jwk, format: 'jwk' });
}

/** Whether a note has a valid signature of a verifier key, by the signed-note specification. */
export function hasSigned(verifierKey: string, note: string): boolean {
  const [name = '', id = '', ...base64] = verifierKey.split('+');
  const encoded = Buffer.from(base64.join('+'), 'base64');
  if (sha256(`${name}\n`, encoded).subarray(0, 4).toString('hex') !== id) return false;
  const key = publicKeyOf(verifierKey);
  const end = note.indexOf('\n\n');
  const text = Buffer.from(note.slice(0, end + 1));
  return note
    .slice(end + 2)
    .split('\n')
    .some((line) => {
      const [dash, signer, signed = ''] = line.split(' ');
      const bytes = Buffer.from(signed, 'base64');
      const isOf = dash === '—' && signer === name && bytes.subarray(0, 4).toString('hex') === id;
      return isOf && verify(null, text, key, bytes.subarray(4));
    });
}

/** Decision 61: the expected commitment of an entry without erasures. */
export function commitmentOf(asset: Record<string, unknown>, secret: string): string {
  const { id, assetID, assetType, status, owner, relatedLot = null, date: _, dateModified: __, ...others } = asset;
  const { redacted: ___, ...members } = others;
  const set = JSON.stringify([id, assetID, assetType, status, owner, relatedLot]);
  return sha256(set, textOf(members, secret)).toString('base64');
}

/** The JSON text of an object or array, with digests instead of values. */
function textOf(value: object, secret: string): string {
  const parts = Object.entries(value).toSorted(([one], [other]) => (Array.isArray(value) || one < other ? -1 : 1));
  const share = (some: typeof parts, shared: string): string[] => {
    if (some.length <= 1) return some.map(([, part]) => digestOf(part, shared));
    const [half, both] = [some.length >> 1, createHash('sha512').update(shared).digest('base64')];
    return [...share(some.slice(0, half), both.slice(0, 44)), ...share(some.slice(half), both.slice(44))];
  };
  const digests = share(parts, secret);
  if (Array.isArray(value)) return JSON.stringify(digests);
  return `{${parts.map(([name], i) => `${JSON.stringify(name)}:"${digests[i]}"`).join(',')}}`;
}

function digestOf(value: unknown, secret: string): string {
  const isLeaf = typeof value !== 'object' || value === null || Object.keys(value).length === 0;
  const text = isLeaf ? secret + JSON.stringify(value) : textOf(value, secret);
  return sha256(text).toString('base64');
}
