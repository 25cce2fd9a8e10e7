import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { ID } from '../asset/identifiers.js';
import { AccessReader, type ActingAccount, type FoundKey } from '../database/access-reader.js';
import { keyRefused, roleMayNotCreate } from '../errors/errors.js';
import type { RegistryRequest, RegistryResponse } from '../http/exchange.js';
import { RateLimits } from '../limits/rate-limits.js';
import { digestOf, isMistyped, isSameDigest, keyOf } from './api-key.js';
import { KeyUsage } from './key-usage.js';

/**
 * Writes need a key that is known, not expired and not revoked. Source: contract section 7.
 * Whose the asset of the path is comes with the same answer of the database, for OwnerTokenGuard.
 */
@Injectable()
export class BrokerKeyGuard implements CanActivate {
  constructor(
    private readonly access: AccessReader,
    private readonly limits: RateLimits,
    private readonly usage: KeyUsage,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RegistryRequest>();
    const response = context.switchToHttp().getResponse<RegistryResponse>();
    const key = await this.findKey(request);
    if (key === undefined) {
      this.limits.limitRefusedKey(request, response);
      throw keyRefused();
    }
    this.usage.note(key);
    this.limits.limitWrite(key.account.name, response);
    request.account = key.account;
    return true;
  }

  private async findKey(request: RegistryRequest): Promise<FoundKey | undefined> {
    const sent = keyOf(request.headers.authorization);
    if (sent === undefined || isMistyped(sent)) return undefined;
    const digest = digestOf(sent);
    const { id = '' } = request.params;
    const { key, owner } = await this.access.find(digest, ID.test(id) ? id : undefined);
    if (key === undefined || !isSameDigest(key.digest, digest)) return undefined;
    const expired = key.expiresUs !== null && key.expiresUs <= Date.now() * 1_000;
    if (expired || key.revokedUs !== null || key.disabledUs !== null) return undefined;
    request.assetOwner = owner;
    return key;
  }
}

/** Only brokers create assets. */
@Injectable()
export class CreatorRoleGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (accountOf(context.switchToHttp().getRequest<RegistryRequest>()).role !== 'broker') throw roleMayNotCreate();
    return true;
  }
}

/** The account that BrokerKeyGuard let in. */
export function accountOf(request: RegistryRequest): ActingAccount {
  const { account } = request;
  if (account === undefined) throw new Error('BrokerKeyGuard is missing on this route');
  return account;
}

/** Handler parameter: the account that acts. */
export const Actor = createParamDecorator((_: unknown, context: ExecutionContext) =>
  accountOf(context.switchToHttp().getRequest<RegistryRequest>()),
);
