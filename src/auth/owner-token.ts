import { randomBytes } from 'node:crypto';
import type { AssetOwner } from '../database/readers/access-reader.js';
import { ownerTokenRefused } from '../platform/errors/errors.js';
import { isSameDigest } from './api-key.js';
import type { Permission } from './permission.js';

const TOKEN_BYTES = 16;

/** 32 hex characters from a cryptographic source. */
export function newOwnerToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}

/**
 * Permits changes of `asset` by its owner, with the owner token, and by roles that need none.
 * @throws ApiError 403 naming the position of the wrong token
 */
export function checkPermission(asset: AssetOwner, { account, sent }: Permission): void {
  if (account.role !== 'broker') return;
  if (sent === undefined) throw ownerTokenRefused();
  const rightToken = sent.digest !== undefined && isSameDigest(sent.digest, asset.tokenDigest);
  if (!rightToken) throw ownerTokenRefused(sent.location, sent.name);
  if (asset.owner !== account.name) throw ownerTokenRefused();
}
