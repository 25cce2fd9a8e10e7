import type { Config } from '../platform/config/config.js';
import type { ApiError } from '../platform/errors/api-error.js';
import { checkMediaType, readBody } from './body-bytes.js';
import { parseBody } from './envelope.js';
import type { RegistryRequest, RegistryResponse } from './request.js';

/** Sets a request's body, then calls `next`, with an error if the body is refused. */
export type BodyMiddleware = (
  request: RegistryRequest,
  response: RegistryResponse,
  next: (error?: ApiError) => void,
) => Promise<void>;

/**
 * Reads the JSON body of a write without EnvelopeGuard, for Nest's `@Body()`. Like Nest's own parser it runs before the middleware and the
 * guards of modules. A write may have no body.
 */
export function readJsonBody({ bodyLimit }: Pick<Config, 'bodyLimit'>): BodyMiddleware {
  return async (request, response, next) => {
    try {
      checkMediaType(request.headers, true);
      const bytes = await readBody(request, response, bodyLimit);
      request.rawBody = bytes;
      if (bytes.length > 0) request.body = parseBody(bytes);
    } catch (error) {
      next(error as ApiError);
      return;
    }
    next();
  };
}
