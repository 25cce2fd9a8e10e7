import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const KEY_BYTES = 32;
const LONGEST_KEY = 512;

/** SHA-256 in hex: what is kept of a key or an owner token. Both are random, so a slow hash would protect nothing. */
export function digestOf(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}

/** Whether two digests are the same, in a time that tells nothing. */
export function isSameDigest(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** A new API key: recognisable, and safe as the user name of HTTP Basic. */
export function newApiKey(): string {
  return `ark_${randomBytes(KEY_BYTES).toString('base64url')}`;
}

/** The key of an Authorization header: user name of Basic, or Bearer; undefined for anything else. Source: contract section 7. */
export function keyOf(authorization: string | undefined): string | undefined {
  const [, scheme = '', credentials = ''] = /^(\w+) +(\S+) *$/.exec(authorization ?? '') ?? [];
  const key = scheme.toLowerCase() === 'basic' ? userNameOf(credentials) : bearerOf(scheme, credentials);
  return key !== undefined && key !== '' && key.length <= LONGEST_KEY ? key : undefined;
}

function bearerOf(scheme: string, credentials: string): string | undefined {
  return scheme.toLowerCase() === 'bearer' ? credentials : undefined;
}

function userNameOf(credentials: string): string | undefined {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(credentials)) return undefined;
  const [user, password] = splitOnce(Buffer.from(credentials, 'base64').toString('utf8'));
  return password === undefined ? undefined : user;
}

function splitOnce(text: string): [string, string | undefined] {
  const colon = text.indexOf(':');
  return colon < 0 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
}
