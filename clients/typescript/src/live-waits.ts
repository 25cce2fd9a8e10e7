/** Of a request that the registry holds: shorter than what proxies and routers cut, which is a minute as a rule. */
const LONGEST_S = 25;
const SHORTEST_S = 3;
/** An answer that took so long was held; one that is not comes at once. */
const HELD_MS = 1_000;
/** From the beginning of one request to that of the next: what comes meanwhile comes on one page. */
const SPACING_MS = 1_000;
/** Between two requests while they are cut or refused: as soon as one gets through, changes come as they are made. */
const MAX_SPACING_AMISS_MS = 60_000;
/** One request that comes to nothing may be a registry that was started again; so many in a row are not. */
const IN_A_ROW = 2;
/** Until the longest wait is tried again. */
const AGAIN_MS = 3_600_000;

/** What is done at the end of the feed: a rest, and then a request that is held for so many seconds. */
interface Turn {
  restMs: number;
  seconds: number;
}

/**
 * Decides from what became of the requests before how the end of the feed is waited at: by a request that the registry holds, or by a pause where
 * it does not know that, or somebody in between does not let it through. Nothing comes of a mistake but a delay: each turn ends with a page.
 */
export class LiveWaits {
  private seconds = LONGEST_S;
  private againAt = Infinity;
  private beganAt = -Infinity;
  /** An answer has shown that the registry holds requests. */
  private isKnown = false;
  /** The last empty answer has shown that it does not. */
  private isIgnored = false;
  /** Requests in a row that ended before their time and brought nothing. */
  private amiss = 0;
  private maxSpacingMs = Infinity;
  /** Of the present length, in a row. */
  private cuts = 0;

  /** @param now milliseconds of a clock that never steps */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Whether the last request was held, or would have been; undefined before there is one. */
  get isLive(): boolean | undefined {
    if (this.beganAt === -Infinity) return undefined;
    return !this.isIgnored && this.amiss < IN_A_ROW;
  }

  /** @param pauseMs between two requests that are not held */
  turn(pauseMs: number): Turn {
    const now = this.now();
    if (now >= this.againAt) [this.seconds, this.againAt] = [LONGEST_S, Infinity];
    // A registry that does not know the parameter answers as without it, and may learn it: it stays in the query.
    if (this.isIgnored) return { restMs: pauseMs, seconds: this.seconds };
    const spacing = Math.min(SPACING_MS * 2 ** this.amiss, this.maxSpacingMs, pauseMs);
    return { restMs: Math.max(0, this.beganAt + spacing - now), seconds: this.seconds };
  }

  /** The request of the turn goes out. */
  begin(): void {
    this.beganAt = this.now();
  }

  /** @param isEmpty whether its page was @param isEnding whether the connection ends with it, as of a registry that is told to end */
  answered(isEmpty: boolean, isEnding: boolean): void {
    const ms = this.now() - this.beganAt;
    this.isKnown ||= ms >= HELD_MS;
    this.maxSpacingMs = Infinity;
    if (isEmpty || this.isKnown) this.isIgnored = !this.isKnown && !isEnding;
    if (isEmpty && ms < (this.seconds * 1_000) / 2) this.amiss++;
    else this.amiss = this.cuts = 0;
  }

  /** The connection broke, or somebody in between would not wait any longer. */
  cut(): void {
    this.refused();
    if (++this.cuts < IN_A_ROW) return;
    this.cuts = 0;
    this.seconds = Math.max(Math.floor(this.seconds / 2), SHORTEST_S);
    this.againAt = this.now() + AGAIN_MS;
  }

  /** The registry has too much to do for it now, or somebody else answers. */
  refused(): void {
    this.amiss++;
    this.maxSpacingMs = MAX_SPACING_AMISS_MS;
  }
}
