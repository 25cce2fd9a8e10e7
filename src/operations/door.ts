interface Waiting {
  since: number;
  isGone: boolean;
  enter: () => void;
  refuse: () => void;
}

const SWEEP_MS = 50;

/**
 * Lets a number of requests in at once; the others wait outside, where they cost next to nothing, and enter in the order of their coming.
 * When that takes too long, more come than can be served, and in that order all of them would be served too late: then who came last is let
 * in first. Who has waited too long is refused.
 */
export class Door {
  /** Oldest first. */
  private waiting: Waiting[] = [];
  private inside = 0;
  private sweep: NodeJS.Timeout | undefined;

  /**
   * @param most inside at once
   * @param lateMs after which the first in the row lets those behind go before
   * @param patienceMs how long one waits outside
   */
  constructor(
    private readonly most: number,
    private readonly lateMs: number,
    private readonly patienceMs: number,
  ) {}

  /**
   * Calls `enter` now or later, or `refuse`. Whoever entered calls `leave` once.
   * @returns what to call when the client goes away meanwhile
   */
  come(enter: () => void, refuse: () => void): () => void {
    if (this.inside < this.most) {
      this.inside++;
      enter();
      return () => undefined;
    }
    const waiting: Waiting = { since: performance.now(), isGone: false, enter, refuse };
    this.waiting.push(waiting);
    this.sweep ??= setInterval(() => this.refuseOldest(), SWEEP_MS);
    return () => (waiting.isGone = true);
  }

  leave(): void {
    this.inside--;
    for (let next = this.takeNext(); next !== undefined; next = this.takeNext()) {
      if (next.isGone) continue;
      this.inside++;
      next.enter();
      return;
    }
  }

  private takeNext(): Waiting | undefined {
    const [oldest] = this.waiting;
    const isLate = oldest !== undefined && performance.now() - oldest.since > this.lateMs;
    return isLate ? this.waiting.pop() : this.waiting.shift();
  }

  private refuseOldest(): void {
    const oldest = performance.now() - this.patienceMs;
    const patient = this.waiting.findIndex(({ since }) => since > oldest);
    const refused = this.waiting.splice(0, patient < 0 ? this.waiting.length : patient);
    for (const { isGone, refuse } of refused) if (!isGone) refuse();
    if (this.waiting.length > 0) return;
    clearInterval(this.sweep);
    this.sweep = undefined;
  }
}
