import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Role } from '../database/entities/account.entity.js';
import type { ApiError } from '../platform/errors/api-error.js';
import type { RegistryRequest } from '../http/request.js';
import { accountOf } from './broker-key.guard.js';

/** The roles that may use a route, and the 403 for the others. */
export const Roles = Reflector.createDecorator<{ allowed: readonly Role[]; refusal: () => ApiError }>();

/** Refuses roles that may not use the route. */
@Injectable()
export class RoleGuard implements CanActivate {
  constructor(private readonly routes: Reflector) {}

  /** @throws ApiError 403 */
  canActivate(context: ExecutionContext): boolean {
    const { role } = accountOf(context.switchToHttp().getRequest<RegistryRequest>());
    const roles = this.routes.get(Roles, context.getHandler());
    if (!roles.allowed.includes(role)) throw roles.refusal();
    return true;
  }
}
