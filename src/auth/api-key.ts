import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'ark_';
const KEY_BYTES = 32;
/** Digits to base 62 of 32 bytes, and of a CRC-32. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const OWN_KEY = new RegExp(`^${PREFIX}([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const MAX_KEY = 512;

/** SHA-256 in hex, the stored form of keys and owner tokens. Both are random, so a slow hash would not make them safer. */
export function secretDigest(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Compares two digests in constant time. */
export function isSameDigest(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Creates an API key that people and secret scanners recognise, safe as the user name of HTTP Basic, with a checksum at the end. */
export function newApiKey(): string {
  const secret = base62(BigInt(`0x${randomBytes(KEY_BYTES).toString('hex')}`), SECRET_LENGTH);
  return `${PREFIX}${secret}${checksumOf(secret)}`;
}

/** Whether a key has the registry's form and a wrong checksum, as after a wrong or incomplete copy. False for keys of another form. */
export function isMistyped(key: string): boolean {
  const [, secret, checksum] = OWN_KEY.exec(key) ?? [];
  return secret !== undefined && checksumOf(secret) !== checksum;
}

function checksumOf(secret: string): string {
  return base62(BigInt(crc32(secret)), CHECKSUM_LENGTH);
}

function base62(number: bigint, length: number): string {
  let digits = '';
  for (let rest = number; digits.length < length; rest /= 62n) digits = DIGITS[Number(rest % 62n)] + digits;
  return digits;
}

/** The key in an Authorization header: user name of Basic, or Bearer token; undefined for anything else. Source: contract section 7. */
export function apiKeyFrom(authorization: string | undefined): string | undefined {
  const [, scheme = '', credentials = ''] = /^(\w+) +(\S+) *$/.exec(authorization ?? '') ?? [];
  const key = scheme.toLowerCase() === 'basic' ? userNameOf(credentials) : bearerOf(scheme, credentials);
  return key !== undefined && key !== '' && key.length <= MAX_KEY ? key : undefined;
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
