import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { assetNotFound } from '../errors/errors.js';
import type { RegistryRequest } from '../http/exchange.js';
import { envelopeOf } from '../http/envelope.guard.js';
import { accountOf } from './broker-key.guard.js';
import type { Permission } from './found-in-request.js';
import { checkOwner, sentToken } from './owner-token.js';

/** A broker changes its own assets only, with their owner token; the other roles bring none. Source: contract sections 2 and 7. */
@Injectable()
export class OwnerTokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<RegistryRequest>();
    if (request.assetOwner === undefined) throw assetNotFound();
    request.permission = permissionOf(request);
    request.permission(request.assetOwner);
    return true;
  }
}

function permissionOf(request: RegistryRequest): Permission {
  const account = accountOf(request);
  if (account.role !== 'broker') return () => undefined;
  const sent = sentToken(request, envelopeOf(request).access);
  return (asset) => checkOwner(asset, account, sent);
}

/** Handler parameter: the permission that OwnerTokenGuard found. */
export const Permitted = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { permission } = context.switchToHttp().getRequest<RegistryRequest>();
  if (permission === undefined) throw new Error('OwnerTokenGuard is missing on this route');
  return permission;
});
