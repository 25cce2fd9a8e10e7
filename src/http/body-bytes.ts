import type { IncomingHttpHeaders } from 'node:http';
import { parse } from 'content-type';
import { contentEncodingRefused, mediaTypeRefused } from '../platform/errors/errors.js';
import { readBytes } from './read-bytes.js';
import type { RegistryRequest, RegistryResponse } from './request.js';
import { expectsContinue } from './request-head.js';

/**
 * Checks that a body is JSON in UTF-8 and not compressed. Source: contract section 8, the 415s.
 * @param isOptional whether the request may have no body
 * @throws ApiError 415
 */
export function checkMediaType(headers: IncomingHttpHeaders, isOptional: boolean): void {
  if (!isJson(headers['content-type']) && !(isOptional && mayBeEmpty(headers))) throw mediaTypeRefused();
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity') throw contentEncodingRefused();
}

/** Whether the headers allow an empty body. A chunked body proves to be empty only when it is read. */
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
 * Reads a body whose media type was checked. Time spent waiting for the client does not count against the answer's deadline.
 * @param limit in bytes
 * @throws ApiError 400, 413, or 415 for a body without a Content-Type
 */
export async function readBody(request: RegistryRequest, response: RegistryResponse, limit: number): Promise<Buffer> {
  if (expectsContinue(request)) response.writeContinue();
  const sinceMs = performance.now();
  const bytes = await readBytes(request, limit);
  request.idleMs += performance.now() - sinceMs;
  if (bytes.length > 0 && request.headers['content-type'] === undefined) throw mediaTypeRefused();
  return bytes;
}
