import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { ID } from '../asset/identifiers.js';
import { WallClock } from '../clock/wall-clock.js';
import { AccessReader, type ActingAccount, type FoundKey } from '../database/access-reader.js';
import { keyRefused, roleMayNotChangeGroups, roleMayNotCreate } from '../errors/errors.js';
import { isDatabaseTrouble } from '../feed/writing/ledger-store.js';
import { Ledger } from '../feed/writing/ledger.js';
import type { RegistryRequest, RegistryResponse } from '../http/exchange.js';
import { RateLimits } from '../limits/rate-limits.js';
import { logger } from '../logging/logger.js';
import { RegistryTime } from '../time/registry-time.js';
import { digestOf, isMistyped, isSameDigest, keyOf } from './api-key.js';

/** Keeps the day on which each key was used last: one small write for each key and day. */
@Injectable()
export class KeyUsage {
  /** Ids of the keys whose day is being written. */
  private readonly underWay = new Set<string>();

  constructor(
    private readonly ledger: Ledger,
    private readonly clock: WallClock,
    private readonly time: RegistryTime,
  ) {}

  /** Told of every key that was accepted; nobody waits for it. */
  note({ id, usedDay }: Pick<FoundKey, 'id' | 'usedDay'>): void {
    // Nobody knows which day it is; the next request with the key does.
    if (!this.clock.isBelieved) return;
    const today = this.time.day(this.clock.nowUs());
    if ((usedDay !== null && usedDay >= today) || this.underWay.has(id)) return;
    this.underWay.add(id);
    void this.write(id, today);
  }

  private async write(id: string, day: string): Promise<void> {
    try {
      await this.ledger.markKeyUsed(id, day);
    } catch (error) {
      // The next request with it tries again.
      const level = isDatabaseTrouble(error) ? 'debug' : 'warn';
      logger[level]({ key: id, reason: (error as Error).message }, 'the use of a key could not be noted');
    } finally {
      this.underWay.delete(id);
    }
  }
}

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

/** Several assets are changed as one by the roles that need no owner token. */
@Injectable()
export class GroupRoleGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { role } = accountOf(context.switchToHttp().getRequest<RegistryRequest>());
    if (role === 'broker') throw roleMayNotChangeGroups();
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
