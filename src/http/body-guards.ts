import { type CanActivate, createParamDecorator, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { parse } from 'content-type';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { contentEncodingRefused, mediaTypeRefused } from '../errors/errors.js';
import { BodyRoom } from './body-room.js';
import type { RegistryRequest, RegistryResponse } from './exchange.js';
import { type Envelope, parseEnvelope, readBytes } from './request-body.js';

/** A write's body is JSON in UTF-8, not compressed. Source: contract section 8, the 415s. */
@Injectable()
export class MediaTypeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<RegistryRequest>();
    if (!isJson(headers['content-type'])) throw mediaTypeRefused();
    const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
    if (encoding !== '' && encoding !== 'identity') throw contentEncodingRefused();
    return true;
  }
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  try {
    const { type, parameters } = parse(contentType);
    const charset = parameters['charset'];
    return type === 'application/json' && (charset === undefined || charset.toLowerCase() === 'utf-8');
  } catch {
    return false;
  }
}

/** Bound of all bodies together that are held and not worked on yet. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Reads the body of a write. It is a guard because of its place: after the key (an unknown client's body is not read)
 * and before the owner token, which may stand in the body. It never says no: it throws 413 or 422.
 */
@Injectable()
export class EnvelopeGuard implements CanActivate {
  private readonly room = new BodyRoom(MOST_BYTES);

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RegistryRequest>();
    const response = context.switchToHttp().getResponse<RegistryResponse>();
    request.envelope = parseEnvelope(await this.read(request, response));
    return true;
  }

  /** Gives up the request's place while its body is on the way: slow clients would keep all others out. */
  private async read(request: RegistryRequest, response: RegistryResponse): Promise<Buffer> {
    const { bodyLimit } = this.config;
    const { place } = request;
    if (request.complete || place === undefined) return readBytes(request, bodyLimit);
    const beganMs = performance.now();
    place.stepOut();
    const seat = this.room.enter(place.party, () => void request.socket.destroy());
    response.whenOver.push(() => seat.leave());
    try {
      const bytes = await readBytes(request, bodyLimit, (more) => seat.grow(more));
      request.bodyMs = performance.now() - beganMs;
      await place.comeBack();
      return bytes;
    } finally {
      seat.leave();
    }
  }
}

/** The body that EnvelopeGuard read. */
export function envelopeOf(request: RegistryRequest): Envelope {
  const { envelope } = request;
  if (envelope === undefined) throw new Error('EnvelopeGuard is missing on this route');
  return envelope;
}

/** Handler parameter: the object under `data` of the request's body. */
export const Data = createParamDecorator(
  (_: unknown, context: ExecutionContext) => envelopeOf(context.switchToHttp().getRequest<RegistryRequest>()).data,
);
