interface Waiting {
  since: number;
  /** It was inside before. */
  returns: boolean;
  isGone: boolean;
  enter: () => void;
  refuse: () => void;
}

/** Who comes for one party. */
interface Line {
  inside: number;
  /** Those who return, then the others, oldest first. */
  waiting: Waiting[];
}

/** How one waits outside. */
export interface Coming {
  enter: () => void;
  refuse: () => void;
  /** For how long it has waited when it was outside before; it goes before those who were not let in yet. */
  returnsAfterMs?: number | undefined;
}

const SWEEP_MS = 50;

/**
 * Lets a number of requests in at once; the others wait outside, where they cost next to nothing, and enter in the order of their coming.
 * When that takes too long, more come than can be served, and in that order all of them would be served too late: then who came last is let
 * in first. Who has waited too long is refused. Requests come for parties, each of which may have as many places as are left for others: so
 * there always are some. Of the parties that wait, the one with the fewest inside is next.
 */
export class Door {
  private readonly lines = new Map<string, Line>();
  private inside = 0;
  private letsIn = false;
  private sweep: NodeJS.Timeout | undefined;

  /**
   * @param most inside at once of one party that is alone; of all it is less than twice as many
   * @param lateMs after which the first in a line lets those behind go before
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

  /** Who enters may leave at once: it makes room for the next one here, and not in a call within calls. */
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
