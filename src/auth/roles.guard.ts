import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Role } from '../database/entities/account.entity.js';
import type { ApiError } from '../errors/api-error.js';
import { roleMayNotChangeGroups, roleMayNotCreate, roleMayNotTransfer } from '../errors/errors.js';
import type { RegistryRequest } from '../http/request.js';
import { accountOf } from './broker-key.guard.js';

/** Only brokers create assets. */
@Injectable()
export class CreatorRoleGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return checkRole(context, ['broker'], roleMayNotCreate);
  }
}

/** Several assets are changed as one by the roles that need no owner token. */
@Injectable()
export class GroupRoleGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return checkRole(context, ['concierge', 'administrator'], roleMayNotChangeGroups);
  }
}

/** Owners give their assets to others, and so does the administrator. */
@Injectable()
export class GiverRoleGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return checkRole(context, ['broker', 'administrator'], roleMayNotTransfer);
  }
}

/** Only brokers own assets. */
@Injectable()
export class TakerRoleGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return checkRole(context, ['broker'], roleMayNotTransfer);
  }
}

/** @throws what `refusal` makes, ApiError 403, unless the account has one of these roles */
function checkRole(context: ExecutionContext, roles: readonly Role[], refusal: () => ApiError): true {
  if (!roles.includes(accountOf(context.switchToHttp().getRequest<RegistryRequest>()).role)) throw refusal();
  return true;
}
