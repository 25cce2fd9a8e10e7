import type { Check, RegistryRequest, RegistryResponse } from '../http/request.js';
import { requestIdOf } from '../http/request-head.js';
import { targetOf, TOKEN_NAME } from '../http/request-target.js';
import { logger } from '../platform/logging/logger.js';

const LONGEST_PATH = 200;
/** An owner token that got into the path, because `&` or an encoded `?` stands before it where the query should begin. */
const TOKEN_IN_PATH = new RegExp(`${TOKEN_NAME.source}.*`, 'i');

/** Names the client of a request, as rate limits count it. */
type ClientOf = (request: RegistryRequest) => string;

/**
 * Writes a line for each answer, without the query, which may hold an owner token. Those of supervisors, who ask all the time, are for debugging.
 */
export function logRequests(clientOf: ClientOf): Check {
  return (request, response) => {
    // A connection that is closed has no address any more.
    const client = clientOf(request);
    response.once('close', () => {
      const isOfSupervisor = request.route?.path.startsWith('/health/') === true;
      logger[isOfSupervisor ? 'debug' : 'info'](lineOf(request, response, client));
    });
  };
}

function lineOf(request: RegistryRequest, response: RegistryResponse, client: string): object {
  return {
    requestId: requestIdOf(request),
    client,
    method: request.method,
    path: targetOf(request).path.slice(0, LONGEST_PATH).replace(TOKEN_IN_PATH, 'acc_token...'),
    route: request.route?.path,
    account: request.account?.name,
    dryRun: request.isDryRun || undefined,
    // Until an answer has begun it is 200.
    status: response.headersSent ? response.statusCode : undefined,
    unavailable: request.unavailable,
    answered: response.writableFinished,
    ms: Math.round((performance.now() - request.arrivedMs) * 10) / 10,
  };
}
