import type { Config } from '../platform/config/config.js';
import type { ApiError } from '../platform/errors/api-error.js';
import { checkMediaType, readBody } from './body-bytes.js';
import { parseBody } from './envelope.js';
import type { RegistryRequest, RegistryResponse } from './request.js';

/** Gives a request its body, and lets it go on: with the error that refuses the body, where there is one. */
export type BodyStep = (
  request: RegistryRequest,
  response: RegistryResponse,
  next: (error?: ApiError) => void,
) => Promise<void>;

/**
 * The step that reads the JSON body of a write whose handler does not read it with EnvelopeGuard, for `@Body()` of Nest. It comes before the
 * middleware and the guards of modules, as Nest's own does, and has the bounds of the registry. A write may have no body.
 */
export function giveBody({ bodyLimit }: Pick<Config, 'bodyLimit'>): BodyStep {
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
