import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { accountOf } from './broker-key.guard.js';
import { AccessReader } from '../database/readers/access-reader.js';
import { waitedMs } from '../http/caller.js';
import { beforeDeadline } from '../http/answer-deadline.js';
import type { RegistryRequest } from '../http/request.js';
import { detachBytes } from '../http/request-body.js';
import { RECEIPT_TTL_US } from '../feed/writing/decide.js';
import { WallClock } from '../feed/clock/wall-clock.js';
import { checkSameBody, IdempotentRequest } from './idempotency.js';

/** Refuses a key that was used with another body or path, before the fields are checked. The ledger decides again, under a lock. */
@Injectable()
export class IdempotencyGuard implements CanActivate {
  constructor(
    private readonly reader: AccessReader,
    private readonly clock: WallClock,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RegistryRequest>();
    const key = request.headers['idempotency-key'];
    if (key === undefined) return true;
    const repeatable = new IdempotentRequest(
      accountOf(request),
      String(key),
      detachBytes(request),
      request.params['id'],
    );
    const receipt = await beforeDeadline(waitedMs(request), this.reader.findReceipt(repeatable.id));
    if (receipt !== undefined && receipt.createdUs > this.clock.nowUs() - RECEIPT_TTL_US)
      checkSameBody(receipt, repeatable);
    request.repeatable = repeatable;
    return true;
  }
}
