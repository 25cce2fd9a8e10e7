import { type CanActivate, type ExecutionContext, ForbiddenException, Inject, Injectable } from '@nestjs/common';
import { accountOf, type RegistryRequest } from 'asset-registry/module';

/** Injection token of the names of the accounts that may value assets. */
export const VALUERS = Symbol('VALUERS');

/** Needs BrokerKeyGuard before it, which finds the account. */
@Injectable()
export class ValuerGuard implements CanActivate {
  constructor(@Inject(VALUERS) private readonly valuers: readonly string[]) {}

  canActivate(context: ExecutionContext): boolean {
    const { name } = accountOf(context.switchToHttp().getRequest<RegistryRequest>());
    if (!this.valuers.includes(name)) throw new ForbiddenException('This account may not value assets');
    return true;
  }
}
