import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { AssetReader } from '../database/asset-reader.js';
import type { Asset } from '../database/entities/asset.entity.js';
import { ID } from '../assets/identifiers.js';
import { assetNotFound } from '../errors/errors.js';
import type { RegistryRequest } from '../http/exchange.js';
import { envelopeOf } from '../http/envelope.guard.js';
import { accountOf } from './broker-key.guard.js';
import { checkOwner, sentToken } from './owner-token.js';

/** What was found out of who acts on an asset, to be checked again on the locked row. */
export type Permission = (asset: Asset) => void;

const permissions = new WeakMap<RegistryRequest, Permission>();

/** A broker changes its own assets only, with their owner token; the other roles bring none. Source: contract sections 2 and 7. */
@Injectable()
export class OwnerTokenGuard implements CanActivate {
  constructor(private readonly assets: AssetReader) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RegistryRequest>();
    const asset = await this.findAsset(request.params['id']);
    if (asset === undefined) throw assetNotFound();
    const permission = permissionOf(request);
    permission(asset);
    permissions.set(request, permission);
    return true;
  }

  private async findAsset(id: unknown): Promise<Asset | undefined> {
    return typeof id === 'string' && ID.test(id) ? this.assets.find(id) : undefined;
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
