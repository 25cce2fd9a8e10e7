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
export interface Coming {
  enter: () => void;
  refuse: () => void;
  /** Set where it was inside before: how long it has waited in all. It goes before those that were never inside. */
  returnsAfterMs?: number | undefined;
}

const SWEEP_MS = 50;

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
  come(party: string, { enter, refuse, returnsAfterMs }: Coming): () => void {
    const line = this.lines.get(party) ?? { inside: 0, waiting: [] };
    this.lines.set(party, line);
    if (this.hasPlaceFor(line)) {
      this.letIn(line, enter);
      return () => undefined;
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
      const refused = line.waiting.filter(({ since }) => since <= oldest);
      line.waiting = line.waiting.filter(({ since }) => since > oldest);
      for (const { isGone, refuse } of refused) if (!isGone) refuse();
      left += line.waiting.length;
      if (line.inside + line.waiting.length === 0) this.lines.delete(party);
    }
    if (left > 0) return;
    clearInterval(this.sweep);
    this.sweep = undefined;
  }
}
