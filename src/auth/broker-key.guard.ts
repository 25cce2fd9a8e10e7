import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ID } from '../feed/asset-identifiers.js';
import { WallClock } from '../feed/clock/wall-clock.js';
import type { Config } from '../platform/config/config.js';
import { CONFIG } from '../platform/config/config.module.js';
import { AccessReader, type ActingAccount, type FoundKey } from '../database/readers/access-reader.js';
import { keyRefused } from '../platform/errors/errors.js';
import { waitedMs } from '../http/caller.js';
import { beforeDeadline } from '../http/answer-deadline.js';
import type { RegistryRequest, RegistryResponse } from '../http/request.js';
import { RateLimits } from '../http/limits/rate-limits.js';
import { RegistryTime } from '../platform/time/registry-time.js';
import { isMistyped, isSameDigest, apiKeyFrom, secretDigest } from './api-key.js';
import { isDemoKey } from './demo-accounts.js';
import { KeyUsage } from './key-usage.js';

/**
 * Requires a key that is known, not expired and not revoked. The same query returns the owner of the path's asset, for OwnerTokenGuard.
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

  /** Running changes are not counted yet, so an account may exceed the limit by them. */
  private limitBytes({ storedDay, storedBytes }: FoundKey): void {
    const nowUs = this.clock.nowUs();
    if (storedDay !== this.time.day(nowUs)) return;
    const renewsUs = this.time.nextDayUs(nowUs) - nowUs;
    this.limits.limitBytes(storedBytes ?? 0, Math.ceil(renewsUs / 1_000_000));
  }

  protected async findKey(request: RegistryRequest): Promise<FoundKey | undefined> {
    const sent = apiKeyFrom(request.headers.authorization);
    if (sent === undefined || isMistyped(sent)) return undefined;
    // Checked at start too, but since then a demo account may have been enabled or restored.
    if (this.config.production && isDemoKey(sent)) return undefined;
    const digest = secretDigest(sent);
    const { id = '' } = request.params;
    const { key, owner } = await beforeDeadline(
      waitedMs(request),
      this.access.find(digest, ID.test(id) ? id : undefined),
    );
    if (key === undefined || !isSameDigest(key.digest, digest)) return undefined;
    if (isInvalid(key)) return undefined;
    request.assetOwner = owner;
    return key;
  }
}

/** Whether the key is expired, revoked, or of a disabled account. */
function isInvalid({ expiresUs, revokedUs, disabledUs }: FoundKey): boolean {
  const isExpired = expiresUs !== null && expiresUs <= Date.now() * 1_000;
  return isExpired || revokedUs !== null || disabledUs !== null;
}

/**
 * Runs after EnvelopeGuard, because the key may have been revoked, or its account disabled, while a slow body was received. After this a write
 * takes a few seconds at most.
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

export function accountOf(request: RegistryRequest): ActingAccount {
  const { account } = request;
  if (account === undefined) throw new Error('BrokerKeyGuard is missing on this route');
  return account;
}
