import type { Middleware, RegistryRequest, RegistryResponse } from '../http/request.js';
import { requestIdOf } from '../http/request-head.js';
import { targetOf, TOKEN_NAME } from '../http/request-target.js';
import { logger } from '../platform/logging/logger.js';

const MAX_PATH_LENGTH = 200;
/** An owner token in the path: the client wrote `&` or an encoded `?` before it instead of `?`. */
const TOKEN_IN_PATH = new RegExp(`${TOKEN_NAME.source}.*`, 'i');

/** Names the client of a request, as rate limits count it. */
type ClientOf = (request: RegistryRequest) => string;

/**
 * Logs a line per request, without the query, which may contain an owner token. Health checks are logged at debug level, because they are frequent.
 */
export function logRequests(clientOf: ClientOf): Middleware {
  return (request, response) => {
    // Read now, because a closed connection has no address.
    const client = clientOf(request);
    response.once('close', () => {
      const isHealthCheck = request.route?.path.startsWith('/health/') === true;
      logger[isHealthCheck ? 'debug' : 'info'](lineOf(request, response, client));
    });
  };
}

function lineOf(request: RegistryRequest, response: RegistryResponse, client: string): object {
  return {
    requestId: requestIdOf(request),
    client,
    method: request.method,
    path: targetOf(request).path.slice(0, MAX_PATH_LENGTH).replace(TOKEN_IN_PATH, 'acc_token...'),
    route: request.route?.path,
    account: request.account?.name,
    dryRun: request.isDryRun || undefined,
    // statusCode is 200 until the headers are sent.
    status: response.headersSent ? response.statusCode : undefined,
    unavailable: request.unavailable,
    answered: response.writableFinished,
    ms: Math.round((performance.now() - request.arrivedMs) * 10) / 10,
  };
}
