import { keyOf } from '../auth/api-key.js';
import type { ApiError } from '../errors/api-error.js';
import { unavailable } from '../errors/errors.js';
import { waitedMs } from '../http/caller.js';
import type { Place, RegistryResponse, Step } from '../http/exchange.js';
import { Answer, writeAnswer } from '../http/answer.js';
import { isPagePath } from '../http/page-paths.js';
import { targetOf } from '../http/request-target.js';
import { type Coming, Door } from './door.js';

const WRITES = new Set(['POST', 'PATCH']);
/** Four times the connections of the pool, so that no connection is ever idle. */
const MOST_READS = 64;
/** Two batches: the one under way, and the next. */
const MOST_WRITES = 128;
/** How long a request waits. Clients that are refused sooner ask again sooner, and refusing takes time from the work. */
const PATIENCE_MS = 5_000;
/** A request that has waited this long is let in after newer ones: it would hardly be answered in time. */
const LATE_MS = 500;
/** The party of all requests without a key, such as reads. Among those the rate limits are fair. */
const ANYBODY = '';

const refused = (): ApiError => unavailable('Too many requests are waiting');

/**
 * Admission control: bounds how many requests are worked on at once. Reads and writes are counted apart, so that neither keeps the other out,
 * and writes share the places by key. Supervisors are let through. A request that waits too long is answered 503.
 */
export function admission(): Step {
  const [reads, writes] = [new Door(MOST_READS, LATE_MS, PATIENCE_MS), new Door(MOST_WRITES, LATE_MS, PATIENCE_MS)];
  const error = refused();
  const refusal = new Answer(error.status, error.body(), error.headers);
  return (request, response, next) => {
    const { path } = targetOf(request);
    // What supervisors ask for is outside of these paths, and files cost nothing.
    if (!path.startsWith('/api/') && !isPagePath(path)) {
      next();
      return;
    }
    const isWrite = WRITES.has(request.method);
    const party = isWrite ? (keyOf(request.headers.authorization) ?? ANYBODY) : ANYBODY;
    const place = new PlaceAtDoor(isWrite ? writes : reads, party, response);
    request.place = place;
    // Written and not thrown: under overload there are many refusals, and errors take longer.
    place.knock({ enter: next, refuse: () => writeAnswer(response, refusal) });
  };
}

class PlaceAtDoor implements Place {
  private isInside = false;
  private goAway = (): void => undefined;

  constructor(
    private readonly door: Door,
    readonly party: string,
    private readonly response: RegistryResponse,
  ) {
    // When the answer is ready, and not when the client has read it: slow clients would keep all others out.
    response.whenAnswered.push(() => this.stepOut());
    response.whenOver.push(() => {
      this.goAway();
      this.stepOut();
    });
  }

  knock({ enter, ...coming }: Coming): void {
    const letIn = (): void => {
      this.isInside = true;
      enter();
    };
    this.goAway = this.door.come(this.party, { ...coming, enter: letIn });
  }

  stepOut(): void {
    if (!this.isInside) return;
    this.isInside = false;
    this.door.leave(this.party);
  }

  comeBack(): Promise<void> {
    const returnsAfterMs = waitedMs(this.response.req);
    return new Promise((enter, reject) => {
      if (!this.response.destroyed) this.knock({ enter, refuse: () => reject(refused()), returnsAfterMs });
    });
  }
}
