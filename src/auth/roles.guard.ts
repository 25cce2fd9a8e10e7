import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Role } from '../database/entities/account.entity.js';
import { roleMayNotChangeGroups, roleMayNotCreate, roleMayNotTransfer } from '../errors/errors.js';
import type { RegistryRequest } from '../http/exchange.js';
import { accountOf } from './key-and-token.guard.js';

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
