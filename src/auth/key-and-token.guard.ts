import { randomBytes } from 'node:crypto';
import { type CanActivate, createParamDecorator, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { isObject, memberOf } from '../asset/asset-view.js';
import { ID } from '../asset/identifiers.js';
import { noAssetAt } from '../asset/no-asset.js';
import { WallClock } from '../clock/wall-clock.js';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.module.js';
import { AccessReader, type ActingAccount, type AssetOwner, type FoundKey } from '../database/access-reader.js';
import { keyRefused, ownerTokenRefused } from '../errors/errors.js';
import { isDatabaseTrouble } from '../feed/writing/ledger-store.js';
import { Ledger } from '../feed/writing/ledger.js';
import { waitedMs } from '../http/caller.js';
import { inTime } from '../http/in-time.js';
import type { RegistryRequest, RegistryResponse } from '../http/request.js';
import { QUERY_PARAMETERS } from '../http/query-parameters.js';
import { envelopeOf } from '../http/request-body.js';
import { targetOf } from '../http/target.js';
import { RateLimits } from '../limits/rate-limits.js';
import { logger } from '../logging/logger.js';
import { RegistryTime } from '../time/registry-time.js';
import { isMistyped, isSameDigest, keyOf, secretDigest } from './api-key.js';
import { isDemoKey } from './demo-accounts.js';
import type { Permission, SentToken } from './found-in-request.js';

/*
 * Who may write: the key says which account it is, and the owner token that an asset is its own. Source: contract section 7.
 */

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
 * Writes need a key that is known, not expired and not revoked.
 * Whose the asset of the path is comes with the same answer of the database, for OwnerTokenGuard.
 */
@Injectable()
export class BrokerKeyGuard implements CanActivate {
  constructor(
    private readonly access: AccessReader,
    private readonly limits: RateLimits,
    private readonly usage: KeyUsage,
    private readonly clock: WallClock,
    private readonly time: RegistryTime,
    @Inject(CONFIG) private readonly config: Pick<Config, 'production'>,
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
    this.limitBytes(key);
    request.account = key.account;
    request.mayOutlastKey = !request.complete;
    return true;
  }

  /** The changes that are under way are not counted yet, so an account may go beyond the limit by them. */
  private limitBytes({ storedDay, storedBytes }: FoundKey): void {
    const nowUs = this.clock.nowUs();
    if (storedDay !== this.time.day(nowUs)) return;
    const renewsUs = this.time.nextDayUs(nowUs) - nowUs;
    this.limits.limitBytes(storedBytes ?? 0, Math.ceil(renewsUs / 1_000_000));
  }

  protected async findKey(request: RegistryRequest): Promise<FoundKey | undefined> {
    const sent = keyOf(request.headers.authorization);
    if (sent === undefined || isMistyped(sent)) return undefined;
    // Their accounts may have been enabled, or come with a restore, since the start that would have been refused.
    if (this.config.production && isDemoKey(sent)) return undefined;
    const digest = secretDigest(sent);
    const { id = '' } = request.params;
    const { key, owner } = await inTime(waitedMs(request), this.access.find(digest, ID.test(id) ? id : undefined));
    if (key === undefined || !isSameDigest(key.digest, digest)) return undefined;
    if (isOver(key)) return undefined;
    request.assetOwner = owner;
    return key;
  }
}

/** Whether nobody may come with it any more. */
function isOver({ expiresUs, revokedUs, disabledUs }: FoundKey): boolean {
  const isExpired = expiresUs !== null && expiresUs <= Date.now() * 1_000;
  return isExpired || revokedUs !== null || disabledUs !== null;
}

/**
 * Stands after EnvelopeGuard: the key may have been revoked, or its account disabled, while the body was on its way. A client may take its time
 * with a body; from here on a write waits some seconds at most.
 */
@Injectable()
export class KeyAfterBodyGuard extends BrokerKeyGuard {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RegistryRequest>();
    if (request.mayOutlastKey !== true) return true;
    const key = await this.findKey(request);
    if (key === undefined) throw keyRefused();
    request.account = key.account;
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

/** What stands under a name in the `access` of a body; undefined where there is no such thing. */
export function memberOfAccess(access: unknown, name: string): unknown {
  return isObject(access) ? memberOf(access, name) : undefined;
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
