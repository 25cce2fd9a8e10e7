import { type CanActivate, createParamDecorator, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { CONFIG } from '../platform/config/config.module.js';
import type { Config } from '../platform/config/config.js';
import { checkMediaType, readBody } from './body-bytes.js';
import { type BodyForm, type Envelope, parseEnvelope, withoutBytes } from './envelope.js';
import type { RegistryRequest, RegistryResponse } from './request.js';

export const HasBody = Reflector.createDecorator<BodyForm>();

/** Requires a write's body to be JSON in UTF-8, not compressed. Source: contract section 8, the 415s. */
@Injectable()
export class MediaTypeGuard implements CanActivate {
  constructor(private readonly routes: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<RegistryRequest>();
    checkMediaType(headers, this.routes.get(HasBody, context.getHandler()) === 'object or nothing');
    return true;
  }
}

/**
 * Reads the body of a write. It is a guard because it must run after the key check (bodies of unknown clients are not read) and before the
 * check of the owner token, which may be in the body. It throws 413, 415 or 422, and never returns false.
 */
@Injectable()
export class EnvelopeGuard implements CanActivate {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly routes: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RegistryRequest>();
    const response = context.switchToHttp().getResponse<RegistryResponse>();
    const bytes = request.rawBody ?? (await readBody(request, response, this.config.bodyLimit));
    request.envelope = parseEnvelope(bytes, this.routes.get(HasBody, context.getHandler()));
    const mayBeRepeated = request.method === 'POST' && request.headers['idempotency-key'] !== undefined;
    if (!mayBeRepeated) detachBytes(request);
    return true;
  }
}

/** The body that EnvelopeGuard read. */
export function envelopeOf(request: RegistryRequest): Envelope {
  const { envelope } = request;
  if (envelope === undefined) throw new Error('EnvelopeGuard is missing on this route');
  return envelope;
}

/** Removes the raw bytes from the request, and returns them. */
export function detachBytes(request: RegistryRequest): Buffer {
  const envelope = envelopeOf(request);
  request.envelope = withoutBytes(envelope);
  return envelope.bytes;
}

/** Handler parameter: the body that EnvelopeGuard read. */
export const SentBody = createParamDecorator((_: unknown, context: ExecutionContext) =>
  envelopeOf(context.switchToHttp().getRequest<RegistryRequest>()),
);

/** Handler parameter: `data` of the request's body, an object or a list. */
export const Data = createParamDecorator(
  (_: unknown, context: ExecutionContext) => envelopeOf(context.switchToHttp().getRequest<RegistryRequest>()).data,
);
