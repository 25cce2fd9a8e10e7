import { randomBytes } from 'node:crypto';
import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { noAssetAt } from '../asset/no-asset.js';
import type { FaultLocation } from '../errors/api-error.js';
import { ownerTokenRefused } from '../errors/errors.js';
import type { AssetOwner } from '../database/access-reader.js';
import type { RegistryRequest } from '../http/exchange.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import { targetOf } from '../http/request-head.js';
import { envelopeOf } from '../http/request-body.js';
import { digestOf, isSameDigest } from './api-key.js';
import { accountOf } from './broker-key.guard.js';
import type { Permission } from './found-in-request.js';

/** An owner token as a request brought it: its digest, undefined where what stood there is no string. */
export interface SentToken {
  digest: string | undefined;
  location: FaultLocation;
  name: string;
}

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

/** The first that is not empty of acc_token, X-Access-Token and access.token. Source: contract section 7. */
export function sentToken(request: RegistryRequest, access: unknown): SentToken | undefined {
  const parameter = QUERY_PARAMETERS.acc_token.read(targetOf(request).query);
  if (parameter !== undefined) return { digest: digestOf(parameter), location: 'header', name: 'acc_token' };
  const header = request.headers['x-access-token'];
  if (typeof header === 'string' && header !== '')
    return { digest: digestOf(header), location: 'header', name: 'X-Access-Token' };
  const member = memberOfAccess(access, 'token');
  if (member === undefined || member === '') return undefined;
  return { digest: typeof member === 'string' ? digestOf(member) : undefined, location: 'body', name: 'access.token' };
}

/** What stands under a name in the `access` of a body; undefined where there is no such thing. */
export function memberOfAccess(access: unknown, name: string): unknown {
  const isObject = typeof access === 'object' && access !== null && !Array.isArray(access);
  return isObject && Object.hasOwn(access, name) ? (access as Record<string, unknown>)[name] : undefined;
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

/** A broker changes its own assets only, with their owner token; the other roles bring none. Source: contract sections 2 and 7. */
@Injectable()
export class OwnerTokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<RegistryRequest>();
    if (request.assetOwner === undefined) throw noAssetAt(request.params['id'] ?? '');
    const account = accountOf(request);
    const sent = account.role === 'broker' ? sentToken(request, envelopeOf(request).access) : undefined;
    request.permission = { account, sent };
    checkPermission(request.assetOwner, request.permission);
    return true;
  }
}

/** Handler parameter: the permission that OwnerTokenGuard found. */
export const Permitted = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { permission } = context.switchToHttp().getRequest<RegistryRequest>();
  if (permission === undefined) throw new Error('OwnerTokenGuard is missing on this route');
  return permission;
});
