import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { AssetOwner } from '../database/access-reader.js';
import { assetNotFound } from '../errors/errors.js';
import type { RegistryRequest } from '../http/exchange.js';
import { envelopeOf } from '../http/envelope.guard.js';
import { accountOf, ownerOf } from './broker-key.guard.js';
import { checkOwner, sentToken } from './owner-token.js';

/** What was found out of who acts on an asset, to be checked again on the locked row. */
export type Permission = (asset: AssetOwner) => void;

const permissions = new WeakMap<RegistryRequest, Permission>();

/** A broker changes its own assets only, with their owner token; the other roles bring none. Source: contract sections 2 and 7. */
@Injectable()
export class OwnerTokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<RegistryRequest>();
    const owner = ownerOf(request);
    if (owner === undefined) throw assetNotFound();
    const permission = permissionOf(request);
    permission(owner);
    permissions.set(request, permission);
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
  const permission = permissions.get(context.switchToHttp().getRequest<RegistryRequest>());
  if (permission === undefined) throw new Error('OwnerTokenGuard is missing on this route');
  return permission;
});
