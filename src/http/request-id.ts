import { randomUUID } from 'node:crypto';
import type { RegistryRequest } from './exchange.js';

const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The client's X-Request-ID where it is 1 to 128 letters, digits and `._:-`, else a new one. A request keeps the same one. */
export function requestIdOf(
  request: Pick<RegistryRequest, 'headers'> & Partial<Pick<RegistryRequest, 'requestId'>>,
): string {
  request.requestId ??= acceptable(request.headers['x-request-id']) ?? randomUUID();
  return request.requestId;
}

function acceptable(sent: string | string[] | undefined): string | undefined {
  return typeof sent === 'string' && ACCEPTABLE.test(sent) ? sent : undefined;
}
