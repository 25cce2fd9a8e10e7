import { unavailable } from '../errors/errors.js';
import type { RegistryRequest, RegistryResponse } from '../http/exchange.js';
import { Answer, writeAnswer } from '../http/answer.js';
import { isPagePath } from '../http/page-paths.js';
import { targetOf } from '../http/request-target.js';
import { Door } from './door.js';

const WRITES = new Set(['POST', 'PATCH']);
/** Four times what the pool has connections for, so that none of them is ever idle. */
const MOST_READS = 64;
/** Two batches: one under way, and the next. */
const MOST_WRITES = 128;
/** The sooner somebody is refused, the sooner it asks again, and refusals take time from the work. */
const PATIENCE_MS = 5_000;
/** Who has waited for that long would not be in time after the work. */
const LATE_MS = 500;

/**
 * Middleware that bounds what is worked on at once, reads and writes apart, so that neither keeps the other out. Supervisors are let
 * through; who has waited too long is answered 503.
 */
export function admission(): (request: RegistryRequest, response: RegistryResponse, next: () => void) => void {
  const [reads, writes] = [new Door(MOST_READS, LATE_MS, PATIENCE_MS), new Door(MOST_WRITES, LATE_MS, PATIENCE_MS)];
  const error = unavailable('Too many requests are waiting');
  const refusal = new Answer(error.status, error.body(), error.headers);
  return (request, response, next) => {
    const { path } = targetOf(request);
    // Supervisors ask for something else, and files cost nothing.
    if (!path.startsWith('/api/') && !isPagePath(path)) {
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
    // Written here and not thrown, as there are many of them when there is no time for them.
    const goAway = door.come(enter, () => writeAnswer(response, refusal));
    // When the answer is ready, and not when a slow client has read it: such clients would keep all others out.
    response.whenAnswered.push(leave);
    response.whenOver.push(() => {
      goAway();
      leave();
    });
  };
}
