import type { NextFunction, Request, Response } from 'express';
import { unavailable } from '../errors/errors.js';
import { ANSWERED } from '../http/answer.js';
import { targetOf } from '../http/request-target.js';
import { Door } from './door.js';

const WRITES = new Set(['POST', 'PATCH']);
/** Four times what the pool has connections for, so that none of them is ever idle. */
const MOST_READS = 64;
/** Two batches: one under way, and the next. */
const MOST_WRITES = 128;
const PATIENCE_MS = 1_000;

/**
 * Middleware that bounds what is worked on at once, reads and writes apart, so that neither keeps the other out. Supervisors are let
 * through. @throws ApiError 503 for who has waited too long
 */
export function admission(): (request: Request, response: Response, next: NextFunction) => void {
  const [reads, writes] = [new Door(MOST_READS, PATIENCE_MS), new Door(MOST_WRITES, PATIENCE_MS)];
  return (request, response, next) => {
    if (!targetOf(request).path.startsWith('/api/')) {
      next();
      return;
    }
    const door = WRITES.has(request.method) ? writes : reads;
    let isInside = false;
    const leave = (): void => {
      if (isInside) door.leave();
      isInside = false;
    };
    const enter = (): void => {
      isInside = true;
      next();
    };
    const goAway = door.come(enter, () => next(unavailable('Too many requests are waiting')));
    // When the answer is ready, and not when a slow client has read it: such clients would keep all others out.
    response.once(ANSWERED, leave);
    response.once('close', () => {
      goAway();
      leave();
    });
  };
}
