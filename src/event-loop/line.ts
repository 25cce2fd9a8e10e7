/** Begins again, in this turn of the event loop or in a later one. */
type Again = () => void;

/** What waits for a turn of the event loop, first come, first served, and shares some milliseconds of it. */
export class Line {
  private readonly waiting: (() => void)[] = [];
  /** Whether a turn is scheduled, or one under way, that will begin the next of `waiting`. */
  private isScheduled = false;
  private beganMs = -Infinity;

  /**
   * @param mostMs after which none begins in the same turn
   * @param leave called when a turn was held so long: schedules the next one
   */
  constructor(
    private readonly mostMs: number,
    private readonly leave: (again: Again, heldMs: number) => void,
  ) {}

  /** Whether the turn that was begun last has time left. */
  get hasTime(): boolean {
    return performance.now() < this.beganMs + this.mostMs;
  }

  /** @param begin is called in a turn that has time left */
  add(begin: () => void): void {
    this.waiting.push(begin);
    if (!this.isScheduled) setImmediate(this.beginTurn);
    this.isScheduled = true;
  }

  private readonly beginTurn = (): void => {
    this.beganMs = performance.now();
    this.beginNext();
  };

  private beginNext(): void {
    const begin = this.waiting.shift();
    this.isScheduled = begin !== undefined;
    if (begin === undefined) return;
    // The next tick comes when no microtask is left: when what was begun waits for something, or is over.
    queueMicrotask(() => process.nextTick(this.goOn));
    begin();
  }

  private readonly goOn = (): void => {
    const heldMs = performance.now() - this.beganMs;
    if (heldMs < this.mostMs) this.beginNext();
    else this.leave(this.beginTurn, heldMs);
  };
}

/** How long what connections wait for may hold a turn, together, in milliseconds. */
const CONNECTIONS_MS = 2;

/**
 * What connections still have to be given: more of their bytes are parsed, or the next of their requests is answered. There may be twenty
 * thousand, of people without a key, so that they do not stand in the line of pieces of work: a search would wait for all of them. Every second
 * turn has none of them.
 */
export const connectionLine = new Line(CONNECTIONS_MS, (again) => setImmediate(() => setImmediate(again)));
