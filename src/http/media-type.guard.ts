import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { parse } from 'content-type';
import { contentEncodingRefused, mediaTypeRefused } from '../errors/errors.js';
import type { RegistryRequest } from './exchange.js';

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
