import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { isObject, memberOf } from '../feed/reading/asset-view.js';
import { assetNotFoundAt } from '../http/asset-not-found.js';
import type { RegistryRequest } from '../http/request.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import { envelopeOf } from '../http/request-body.js';
import { targetOf } from '../http/request-target.js';
import { secretDigest } from './api-key.js';
import { accountOf } from './broker-key.guard.js';
import type { SentToken } from './permission.js';
import { checkPermission } from './owner-token.js';

/** A broker may change only its own assets, with their owner token; other roles need none. Source: contract sections 2 and 7. */
@Injectable()
export class OwnerTokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<RegistryRequest>();
    if (request.assetOwner === undefined) throw assetNotFoundAt(request.params['id'] ?? '');
    const account = accountOf(request);
    const sent = account.role === 'broker' ? sentToken(request, envelopeOf(request).access) : undefined;
    request.permission = { account, sent };
    checkPermission(request.assetOwner, request.permission);
    return true;
  }
}

/** The first non-empty one of acc_token, X-Access-Token and access.token. Source: contract section 7. */
function sentToken(request: RegistryRequest, access: unknown): SentToken | undefined {
  const parameter = QUERY_PARAMETERS.acc_token.read(targetOf(request).query);
  if (parameter !== undefined) return { digest: secretDigest(parameter), location: 'header', name: 'acc_token' };
  const header = request.headers['x-access-token'];
  if (typeof header === 'string' && header !== '')
    return { digest: secretDigest(header), location: 'header', name: 'X-Access-Token' };
  const member = memberOfAccess(access, 'token');
  if (member === undefined || member === '') return undefined;
  return {
    digest: typeof member === 'string' ? secretDigest(member) : undefined,
    location: 'body',
    name: 'access.token',
  };
}

/** @returns a member of a body's `access`; undefined if it is missing */
export function memberOfAccess(access: unknown, name: string): unknown {
  return isObject(access) ? memberOf(access, name) : undefined;
}
