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
import { isMistyped, isSameDigest, keyOf, secretDigest } from './api-key.js';
import { isDemoKey } from './demo-accounts.js';
import { KeyUsage } from './key-usage.js';

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
    const { key, owner } = await beforeDeadline(
      waitedMs(request),
      this.access.find(digest, ID.test(id) ? id : undefined),
    );
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
