interface Waiting {
  since: number;
  isGone: boolean;
  enter: () => void;
  refuse: () => void;
}

const SWEEP_MS = 50;

/** How much a door lets in. */
export interface DoorLimits {
  /** Inside at once. */
  most: number;
  /** Let in within one turn of the event loop: what has come from the database meanwhile is looked at between two turns. */
  perTurn: number;
  /** After which the first in the row lets those behind go before. */
  lateMs: number;
  /** How long one waits outside. */
  patienceMs: number;
}

/**
 * Lets a number of requests in at once; the others wait outside, where they cost next to nothing, and enter in the order of their coming.
 * When that takes too long, more come than can be served, and in that order all of them would be served too late: then who came last is let
 * in first. Who has waited too long is refused.
 */
export class Door {
  /** Oldest first. */
  private waiting: Waiting[] = [];
  private inside = 0;
  /** In this turn of the event loop. */
  private letIn = 0;
  private sweep: NodeJS.Timeout | undefined;

  constructor(private readonly limits: DoorLimits) {}

  /**
   * Calls `enter` now or later, or `refuse`. Whoever entered calls `leave` once.
   * @returns what to call when the client goes away meanwhile
   */
  come(enter: () => void, refuse: () => void): () => void {
    if (this.waiting.length === 0 && this.hasRoom()) {
      this.admit(enter);
      return () => undefined;
    }
    const waiting: Waiting = { since: performance.now(), isGone: false, enter, refuse };
    this.waiting.push(waiting);
    this.sweep ??= setInterval(() => this.refuseOldest(), SWEEP_MS);
    return () => (waiting.isGone = true);
  }

  leave(): void {
    this.inside--;
    this.goOn();
  }

  private hasRoom(): boolean {
    return this.inside < this.limits.most && this.letIn < this.limits.perTurn;
  }

  private admit(enter: () => void): void {
    this.inside++;
    this.letIn++;
    if (this.letIn === 1) {
      setImmediate(() => {
        this.letIn = 0;
        this.goOn();
      });
    }
    enter();
  }

  /** Lets in whom there is room for. */
  private goOn(): void {
    while (this.hasRoom()) {
      const next = this.takeNext();
      if (next === undefined) return;
      if (!next.isGone) this.admit(next.enter);
    }
  }

  private takeNext(): Waiting | undefined {
    const [oldest] = this.waiting;
    const isLate = oldest !== undefined && performance.now() - oldest.since > this.limits.lateMs;
    return isLate ? this.waiting.pop() : this.waiting.shift();
  }

  private refuseOldest(): void {
    const oldest = performance.now() - this.limits.patienceMs;
    const patient = this.waiting.findIndex(({ since }) => since > oldest);
    const refused = this.waiting.splice(0, patient < 0 ? this.waiting.length : patient);
    for (const { isGone, refuse } of refused) if (!isGone) refuse();
    if (this.waiting.length > 0) return;
    clearInterval(this.sweep);
    this.sweep = undefined;
  }
}
