import { createHash, createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { follow } from './pages.js';
import type { Sender } from './registry.js';
import { until } from './until.js';

/*
 * The log of a registry as somebody sees it who knows the specifications, and none of the registry's code.
 */

export const LOG = '/api/0.1/log';

/** An entry of `log/assets`. */
export interface SeenEntry {
  place: number;
  entry: string;
  opening: { secret: string } | { salts: Record<string, string>; erased: Record<string, string> };
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

/** Once it has so many entries. */
export async function checkpointOf(registry: Sender, size: number): Promise<SeenCheckpoint> {
  await until(async () => (await registry.send(`${LOG}/checkpoint`)).text.split('\n')[1] === String(size));
  return readCheckpoint(registry);
}

/** All entries, page by page. */
export function readLog(registry: Sender, limit = 100): Promise<SeenEntry[]> {
  return follow(registry, `${LOG}/assets?limit=${limit}`);
}

/** The key itself, of a verifier key. */
export function publicKeyOf(verifierKey: string): KeyObject {
  const encoded = Buffer.from(verifierKey.split('+').slice(2).join('+'), 'base64');
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: encoded.subarray(1).toString('base64url') };
  return createPublicKey({ key: jwk, format: 'jwk' });
}

/** Signed-note: whether a verifier key has signed. */
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

/** Decision 61: what an entry's commitment has to be where nothing was erased. */
export function commitmentOf(asset: Record<string, unknown>, secret: string): string {
  const { id, assetID, assetType, status, owner, relatedLot = null, date: _, dateModified: __, ...others } = asset;
  const leaves: [pointer: string, value: unknown][] = [];
  const walk = (value: unknown, pointer: string): void => {
    const members = value !== null && typeof value === 'object' ? Object.entries(value) : [];
    for (const [name, member] of members)
      walk(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    if (members.length === 0) leaves.push([pointer, value]);
  };
  for (const [name, value] of Object.entries(others)) if (name !== 'redacted') walk(value, `/${name}`);
  const stream = createHash('shake256', { outputLength: 18 * leaves.length })
    .update(Buffer.from(secret, 'base64'))
    .digest();
  const digests = leaves
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([pointer, value], i) => {
      const salt = stream.subarray(18 * i, 18 * (i + 1)).toString('base64');
      return sha256(salt, JSON.stringify(pointer), JSON.stringify(value)).toString('base64');
    });
  const set = JSON.stringify([id, assetID, assetType, status, owner, relatedLot]);
  return sha256(set, ...digests).toString('base64');
}
