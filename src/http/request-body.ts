import type { IncomingHttpHeaders } from 'node:http';
import { type CanActivate, createParamDecorator, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { parse } from 'content-type';
import { CONFIG } from '../platform/config/config.module.js';
import type { Config } from '../platform/config/config.js';
import { contentEncodingRefused, mediaTypeRefused } from '../platform/errors/errors.js';
import { type BodyForm, type Envelope, parseEnvelope, withoutBytes } from './envelope.js';
import { readBytes } from './read-bytes.js';
import type { RegistryRequest, RegistryResponse } from './request.js';
import { expectsContinue } from './request-head.js';

export const HasBody = Reflector.createDecorator<BodyForm>();

/** A write's body is JSON in UTF-8, not compressed. Source: contract section 8, the 415s. */
@Injectable()
export class MediaTypeGuard implements CanActivate {
  constructor(private readonly routes: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<RegistryRequest>();
    if (!isJson(headers['content-type'])) {
      const mayBeNone = this.routes.get(HasBody, context.getHandler()) === 'object or nothing';
      if (!mayBeNone || !mayBeEmpty(headers)) throw mediaTypeRefused();
    }
    const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
    if (encoding !== '' && encoding !== 'identity') throw contentEncodingRefused();
    return true;
  }
}

/** Whether no header speaks of a body. A chunked one may still be empty, which is known once it was read. */
function mayBeEmpty({ 'content-type': type, 'content-length': length = '0' }: IncomingHttpHeaders): boolean {
  return type === undefined && Number(length) === 0;
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  const { type, parameters } = parse(contentType);
  const charset = parameters['charset'];
  return type === 'application/json' && (charset === undefined || charset.toLowerCase() === 'utf-8');
}

/**
 * Reads the body of a write. It is a guard because of its place: after the key (an unknown client's body is not read)
 * and before the owner token, which may stand in the body. It throws 413, 415 or 422, and never returns false.
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
    const bytes = await this.read(request, response);
    if (bytes.length > 0 && request.headers['content-type'] === undefined) throw mediaTypeRefused();
    request.envelope = parseEnvelope(bytes, this.routes.get(HasBody, context.getHandler()));
    const mayBeRepeated = request.method === 'POST' && request.headers['idempotency-key'] !== undefined;
    if (!mayBeRepeated) takeBytes(request);
    return true;
  }

  /** The time that the client takes is not the service's: it does not count against the deadline of the write. */
  private async read(request: RegistryRequest, response: RegistryResponse): Promise<Buffer> {
    if (expectsContinue(request)) response.writeContinue();
    const sinceMs = performance.now();
    const bytes = await readBytes(request, this.config.bodyLimit);
    request.idleMs += performance.now() - sinceMs;
    return bytes;
  }
}

/** The body that EnvelopeGuard read. */
export function envelopeOf(request: RegistryRequest): Envelope {
  const { envelope } = request;
  if (envelope === undefined) throw new Error('EnvelopeGuard is missing on this route');
  return envelope;
}

/** @returns the body's bytes, which the request no longer keeps */
export function takeBytes(request: RegistryRequest): Buffer {
  const envelope = envelopeOf(request);
  request.envelope = withoutBytes(envelope);
  return envelope.bytes;
}

/** Handler parameter: the body that EnvelopeGuard read. */
export const SentBody = createParamDecorator((_: unknown, context: ExecutionContext) =>
  envelopeOf(context.switchToHttp().getRequest<RegistryRequest>()),
);

/** Handler parameter: what stands under `data` of the request's body, an object or a list. */
export const Data = createParamDecorator(
  (_: unknown, context: ExecutionContext) => envelopeOf(context.switchToHttp().getRequest<RegistryRequest>()).data,
);
