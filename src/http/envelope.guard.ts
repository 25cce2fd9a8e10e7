import { type CanActivate, createParamDecorator, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import type { RegistryRequest } from './exchange.js';
import { type Envelope, parseEnvelope, readBytes } from './request-body.js';

const envelopes = new WeakMap<RegistryRequest, Envelope>();

/**
 * Reads the body of a write. It is a guard because of its place: after the key (an unknown client's body is not read)
 * and before the owner token, which may stand in the body. It never says no: it throws 413 or 422.
 */
@Injectable()
export class EnvelopeGuard implements CanActivate {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RegistryRequest>();
    envelopes.set(request, parseEnvelope(await readBytes(request, this.config.bodyLimit)));
    return true;
  }
}

/** The body that EnvelopeGuard read. */
export function envelopeOf(request: RegistryRequest): Envelope {
  const envelope = envelopes.get(request);
  if (envelope === undefined) throw new Error('EnvelopeGuard is missing on this route');
  return envelope;
}

/** Handler parameter: the object under `data` of the request's body. */
export const Data = createParamDecorator(
  (_: unknown, context: ExecutionContext) => envelopeOf(context.switchToHttp().getRequest<RegistryRequest>()).data,
);
