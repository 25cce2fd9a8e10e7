import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { accountOf } from '../auth/broker-key.guard.js';
import type { Permission } from '../auth/permission.js';
import type { IdempotentRequest } from '../auth/idempotency.js';
import { type Caller, callerOf } from '../http/caller.js';
import type { RegistryRequest, RegistryResponse } from '../http/request.js';

/** Caller and conditions of a write. */
export interface WriteRequest {
  caller: Caller;
  /** The account, and the sent owner token on routes that take one. */
  permission: Permission;
  /** The header If-Match. */
  ifMatch: string | undefined;
  isDryRun: boolean;
  /** Set for a POST with an Idempotency-Key. */
  repeatable: IdempotentRequest | undefined;
}

/** Handler parameter: the WriteRequest, from what the guards have set. */
export const Write = createParamDecorator((_: unknown, context: ExecutionContext): WriteRequest => {
  const request = context.switchToHttp().getRequest<RegistryRequest>();
  return {
    caller: callerOf(context.switchToHttp().getResponse<RegistryResponse>()),
    permission: request.permission ?? { account: accountOf(request), sent: undefined },
    ifMatch: request.headers['if-match'],
    isDryRun: request.isDryRun === true,
    repeatable: request.repeatable,
  };
});
