import { TIME_BUDGETS_MS } from '../config/time-budgets.js';
import { keyOf } from '../auth/api-key.js';
import type { UnavailableError } from '../errors/api-error.js';
import { unavailable } from '../errors/errors.js';
import { Answer, writeAnswer } from '../http/answer.js';
import { waitedMs } from '../http/caller.js';
import { isWrite, type Gate, type Place, type RegistryResponse } from '../http/request.js';
import { isPagePath } from '../http/page-paths.js';
import { targetOf } from '../http/target.js';

/** Four times the connections of the pool, so that no connection is ever idle. */
const MOST_READS = 64;
/** Two batches: the one under way, and the next. */
const MOST_WRITES = 128;
/** A request that has waited this long is let in after newer ones: it would hardly be answered in time. */
const LATE_MS = 500;
/** The party of all requests without a key, such as reads. Among those the rate limits are fair. */
const ANYBODY = '';
const SWEEP_MS = 50;

const nothing = (): void => undefined;
const refused = (): UnavailableError => unavailable('overload');

/**
 * Admission control: bounds how many requests are worked on at once. Reads and writes are counted apart, so that neither keeps the other out,
 * and writes share the places by key. Supervisors are let through. A request that waits too long is answered 503.
 */
export function admission(): Gate {
  const { admission: patienceMs } = TIME_BUDGETS_MS;
  const [reads, writes] = [new Door(MOST_READS, LATE_MS, patienceMs), new Door(MOST_WRITES, LATE_MS, patienceMs)];
  const error = refused();
  const refusal = new Answer(error.status, error.body(), error.headers);
  return (request, response, enter) => {
    const { path } = targetOf(request);
    // What supervisors ask for is outside of these paths, and files cost nothing.
    if (!path.startsWith('/api/') && !isPagePath(path)) {
      enter();
      return;
    }
    const changes = isWrite(request);
    const party = changes ? (keyOf(request.headers.authorization) ?? ANYBODY) : ANYBODY;
    const place = new PlaceAtDoor(changes ? writes : reads, party, response);
    request.place = place;
    // Written and not thrown: under overload there are many refusals, and errors take longer.
    const refuse = (): void => {
      request.unavailable = error.reason;
      writeAnswer(response, refusal);
    };
    place.knock({ enter, refuse });
  };
}

class PlaceAtDoor implements Place {
  private isInside = false;
  private goAway = nothing;

  constructor(
    private readonly door: Door,
    readonly party: string,
    private readonly response: RegistryResponse,
  ) {
    // When the answer is ready, and not when the client has read it: slow clients would keep all others out.
    response.whenAnswered = () => this.stepOut();
    response.once('close', () => {
      this.goAway();
      this.stepOut();
    });
  }

  knock({ enter, refuse, returnsAfterMs }: Arrival): void {
    const letIn = (): void => {
      this.isInside = true;
      enter();
    };
    this.goAway = this.door.come(this.party, { enter: letIn, refuse, returnsAfterMs });
  }

  stepOut(): void {
    if (!this.isInside) return;
    this.isInside = false;
    this.door.leave(this.party);
  }

  comeBack(how?: 'anew'): Promise<void> {
    const returnsAfterMs = how === 'anew' ? undefined : waitedMs(this.response.req);
    return new Promise((enter, reject) => {
      if (!this.response.destroyed) this.knock({ enter, refuse: () => reject(refused()), returnsAfterMs });
    });
  }
}

interface Waiting {
  since: number;
  /** Whether it was inside before. */
  returns: boolean;
  isGone: boolean;
  enter: () => void;
  refuse: () => void;
}

/** The requests of one party. */
interface Line {
  inside: number;
  /** First those that return, then the others; oldest first. */
  waiting: Waiting[];
}

/** A request that asks to be let in. */
export interface Arrival {
  enter: () => void;
  refuse: () => void;
  /** Set where it was inside before: how long it has waited in all. It goes before those that were never inside. */
  returnsAfterMs?: number | undefined;
}

/**
 * Lets a limited number of requests in at once. The others wait outside, where they cost next to nothing, and enter in the order of arrival.
 * Under overload, when the first has waited too long, that order would serve all of them too late: then the newest is let in first. A request
 * that waits longer than `patienceMs` is refused. Each party may take as many places as it leaves free, so there always are some for others.
 * The next one is of the waiting party that has the fewest inside.
 */
export class Door {
  private readonly lines = new Map<string, Line>();
  private inside = 0;
  private letsIn = false;
  private sweep: NodeJS.Timeout | undefined;

  /**
   * @param most how many may be inside of one party that is alone; of all parties fewer than twice as many
   * @param lateMs after this wait of the first in a line, the newest goes before it
   * @param patienceMs after this wait a request is refused
   */
  constructor(
    private readonly most: number,
    private readonly lateMs: number,
    private readonly patienceMs: number,
  ) {}

  /**
   * Calls `enter`, now or later, or `refuse`. A request that entered calls `leave` once.
   * @returns a function to call when the client goes away meanwhile
   */
  come(party: string, { enter, refuse, returnsAfterMs }: Arrival): () => void {
    const line = this.lines.get(party) ?? { inside: 0, waiting: [] };
    this.lines.set(party, line);
    if (this.hasPlaceFor(line)) {
      this.letIn(line, enter);
      return nothing;
    }
    const since = performance.now() - (returnsAfterMs ?? 0);
    const waiting: Waiting = { since, returns: returnsAfterMs !== undefined, isGone: false, enter, refuse };
    const place = waiting.returns ? line.waiting.findIndex(({ returns }) => !returns) : -1;
    line.waiting.splice(place < 0 ? line.waiting.length : place, 0, waiting);
    this.sweep ??= setInterval(() => this.refuseOldest(), SWEEP_MS);
    return () => (waiting.isGone = true);
  }

  leave(party: string): void {
    const line = this.lines.get(party) as Line;
    line.inside--;
    this.inside--;
    if (line.inside + line.waiting.length === 0) this.lines.delete(party);
    if (!this.letsIn) this.letInAll();
  }

  /** A request may leave while it enters. This loop then lets the next one in, instead of a recursion. */
  private letInAll(): void {
    this.letsIn = true;
    for (let next = this.nextLine(); next !== undefined; next = this.nextLine()) {
      const { isGone, enter } = this.takeNext(next);
      if (!isGone) this.letIn(next, enter);
    }
    this.letsIn = false;
  }

  private hasPlaceFor(line: Line): boolean {
    return this.inside + line.inside < 2 * this.most;
  }

  private letIn(line: Line, enter: () => void): void {
    line.inside++;
    this.inside++;
    enter();
  }

  private nextLine(): Line | undefined {
    let least: Line | undefined;
    for (const line of this.lines.values()) {
      if (line.waiting.length === 0 || line.inside >= (least?.inside ?? Infinity)) continue;
      if (this.hasPlaceFor(line)) least = line;
    }
    return least;
  }

  private takeNext({ waiting }: Line): Waiting {
    const [first] = waiting as [Waiting];
    const isLate = performance.now() - first.since > this.lateMs;
    return (isLate && !first.returns ? waiting.pop() : waiting.shift()) as Waiting;
  }

  private refuseOldest(): void {
    const oldest = performance.now() - this.patienceMs;
    let left = 0;
    for (const [party, line] of this.lines) {
      const late = line.waiting.filter(({ since }) => since <= oldest);
      line.waiting = line.waiting.filter(({ since }) => since > oldest);
      for (const { isGone, refuse } of late) if (!isGone) refuse();
      left += line.waiting.length;
      if (line.inside + line.waiting.length === 0) this.lines.delete(party);
    }
    if (left > 0) return;
    clearInterval(this.sweep);
    this.sweep = undefined;
  }
}
