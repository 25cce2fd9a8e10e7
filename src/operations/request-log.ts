import type { NextFunction, Request, Response } from 'express';
import { accountNameOf } from '../auth/broker-key.guard.js';
import { requestIdOf } from '../http/request-id.js';
import { targetOf } from '../http/request-target.js';
import { logger } from './logger.js';
import { routeOf } from './route.js';

const LONGEST_PATH = 200;

/** One line for each answer. The query is left out: an owner token may stand in it. */
export function logRequest(request: Request, response: Response, next: NextFunction): void {
  const began = performance.now();
  response.once('close', () => {
    logger.info({
      requestId: requestIdOf(request),
      method: request.method,
      path: targetOf(request).path.slice(0, LONGEST_PATH),
      route: routeOf(request),
      account: accountNameOf(request),
      status: response.statusCode,
      answered: response.writableFinished,
      ms: Math.round((performance.now() - began) * 10) / 10,
    });
  });
  next();
}
