import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { AccountsRepository, type ActingAccount } from '../database/accounts-repository.js';
import { keyRefused, roleMayNotCreate } from '../errors/errors.js';
import type { RegistryRequest, RegistryResponse } from '../http/exchange.js';
import { RateLimits } from '../operations/rate-limits.js';
import { digestOf, isMistyped, isSameDigest, keyOf } from './api-key.js';
import { KeyUsage } from './key-usage.js';

const accounts = new WeakMap<RegistryRequest, ActingAccount>();

/** Writes need a key that is known, not expired and not revoked. Source: contract section 7. */
@Injectable()
export class BrokerKeyGuard implements CanActivate {
  constructor(
    private readonly repository: AccountsRepository,
    private readonly limits: RateLimits,
    private readonly usage: KeyUsage,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RegistryRequest>();
    const response = context.switchToHttp().getResponse<RegistryResponse>();
    const account = await this.findAccount(keyOf(request.headers.authorization));
    if (account === undefined) {
      this.limits.takeRefusedKey(request, response);
      throw keyRefused();
    }
    this.limits.takeWrite(account.name, response);
    accounts.set(request, account);
    return true;
  }

  private async findAccount(key: string | undefined): Promise<ActingAccount | undefined> {
    if (key === undefined || isMistyped(key)) return undefined;
    const digest = digestOf(key);
    const found = await this.repository.findKey(digest);
    if (found === undefined || !isSameDigest(found.digest, digest)) return undefined;
    const expired = found.expiresUs !== null && found.expiresUs <= Date.now() * 1_000;
    if (expired || found.revokedUs !== null || found.disabledUs !== null) return undefined;
    this.usage.note(found);
    return found.account;
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
  const account = accounts.get(request);
  if (account === undefined) throw new Error('BrokerKeyGuard is missing on this route');
  return account;
}

/** For the log: the name of the account that acts, once its key was accepted. */
export function accountNameOf(request: RegistryRequest): string | undefined {
  return accounts.get(request)?.name;
}

/** Handler parameter: the account that acts. */
export const Actor = createParamDecorator((_: unknown, context: ExecutionContext) =>
  accountOf(context.switchToHttp().getRequest<RegistryRequest>()),
);
