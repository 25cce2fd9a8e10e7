import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Role } from '../database/entities/account.entity.js';
import { roleMayNotTransfer } from '../errors/errors.js';
import type { RegistryRequest } from '../http/exchange.js';
import { accountOf } from './broker-key.guard.js';

/** Owners give their assets to others, and so does the administrator. */
@Injectable()
export class GiverRoleGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return isOneOf(context, 'broker', 'administrator');
  }
}

/** Only brokers own assets. */
@Injectable()
export class TakerRoleGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return isOneOf(context, 'broker');
  }
}

/** @throws ApiError 403 */
function isOneOf(context: ExecutionContext, ...roles: Role[]): true {
  if (!roles.includes(accountOf(context.switchToHttp().getRequest<RegistryRequest>()).role)) throw roleMayNotTransfer();
  return true;
}
