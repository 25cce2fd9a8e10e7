import { randomBytes } from 'node:crypto';
import type { AssetOwner } from '../database/access-reader.js';
import { ownerTokenRefused } from '../errors/errors.js';
import { isSameDigest } from './api-key.js';
import type { Permission } from './found-in-request.js';

const TOKEN_BYTES = 16;
/** Random bytes for as many tokens are fetched at once: the system's source costs more than the rest of a token. */
const TOKENS_AT_ONCE = 256;
let unused = Buffer.alloc(0);

/** 32 hex characters from a cryptographic source. */
export function newOwnerToken(): string {
  if (unused.length === 0) unused = randomBytes(TOKENS_AT_ONCE * TOKEN_BYTES);
  const token = unused.subarray(0, TOKEN_BYTES).toString('hex');
  unused = unused.subarray(TOKEN_BYTES);
  return token;
}

/**
 * Lets whoever may change `asset` through: the account that created it, with its owner token, and the roles that need none.
 * @throws ApiError 403 that names the place of the wrong token
 */
export function checkPermission(asset: AssetOwner, { account, sent }: Permission): void {
  if (account.role !== 'broker') return;
  if (sent === undefined) throw ownerTokenRefused();
  const rightToken = sent.digest !== undefined && isSameDigest(sent.digest, asset.tokenDigest);
  if (!rightToken) throw ownerTokenRefused(sent.location, sent.name);
  if (asset.owner !== account.name) throw ownerTokenRefused();
}
