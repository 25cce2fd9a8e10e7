import type { RegistryRequest, RegistryResponse } from '../http/request.js';
import { requestIdOf } from '../http/request-head.js';
import { targetOf, TOKEN_NAME } from '../http/request-target.js';
import { logger } from '../platform/logging/logger.js';

const LONGEST_PATH = 200;
/** An owner token that got into the path, because `&` or an encoded `?` stands before it where the query should begin. */
const TOKEN_IN_PATH = new RegExp(`${TOKEN_NAME.source}.*`, 'i');

/** Writes a line for each answer, without the query, which may hold an owner token. Those of supervisors, who ask all the time, are for debugging. */
export function logRequest(request: RegistryRequest, response: RegistryResponse): void {
  response.once('close', () => {
    logger[request.route?.path.startsWith('/health/') === true ? 'debug' : 'info']({
      requestId: requestIdOf(request),
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
    });
  });
}
