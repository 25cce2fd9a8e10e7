import { ConnectionFailed, RegistryError, UnexpectedAnswer } from './errors.js';
import type { PageOptions } from './feed.js';
import type { Page } from './page.js';
import type { Wait } from './repeats.js';

/** As the registry asks for, should it not say so. */
const PAUSE_MS = 300_000;
/** Of a request that the registry holds: shorter than what proxies and routers cut, which is a minute as a rule. */
const HELD_S = 25;
/** From the beginning of one request to that of the next: what comes meanwhile comes on one page. It doubles with each that comes to nothing. */
const SPACING_MS = 1_000;
/** Doublings after requests that failed: half a minute. */
const MAX_DOUBLINGS = 5;
/** One request that comes to nothing may be a registry that was started again; so many in a row are not. */
const IN_A_ROW = 2;

type Asked = PageOptions & { signal: AbortSignal | undefined };

/** How pages are come by at the end of the feed. */
interface EndSource {
  page: (options: Asked) => Promise<Page>;
  /** A page that the registry holds back for so many seconds while it would be empty. What goes wrong is told at once. */
  heldPage: (options: Asked, seconds: number) => Promise<Page>;
  pause: (wait: Wait, signal: AbortSignal | undefined) => Promise<void>;
  onWait: (wait: Wait) => void;
}

/** The end of one registry's feed: a request that the registry holds, and pauses where it does not, or somebody in between does not wait. */
export class EndOfFeed {
  private beganAt = -Infinity;
  /** Requests in a row that ended before their time and brought nothing. */
  private amiss = 0;

  /**
   * @param pollMs the pause that is made in any case; without it the registry is asked to answer when something comes
   * @param now milliseconds of a clock that never steps
   */
  constructor(
    private readonly source: EndSource,
    private readonly pollMs: number | undefined,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether changes come as they are made; undefined until that was tried. */
  get isLive(): boolean | undefined {
    if (this.pollMs !== undefined) return false;
    return this.beganAt === -Infinity ? undefined : this.amiss < IN_A_ROW;
  }

  /** @returns the next page, which may be empty too */
  async pageAfter(empty: Page, options: Asked): Promise<Page> {
    const restMs = this.pollMs ?? this.restMs(empty.backoffMs ?? PAUSE_MS);
    if (restMs > 0) await this.source.pause(caughtUp(restMs, this.isLive === true), options.signal);
    return this.pollMs === undefined ? this.held(options) : this.source.page(options);
  }

  private restMs(pauseMs: number): number {
    return Math.max(0, this.beganAt + Math.min(SPACING_MS * 2 ** this.amiss, pauseMs) - this.now());
  }

  private async held(options: Asked): Promise<Page> {
    this.source.onWait(caughtUp(HELD_S * 1_000, true));
    this.beganAt = this.now();
    try {
      const page = await this.source.heldPage(options, HELD_S);
      const isEarly = this.now() - this.beganAt < (HELD_S * 1_000) / 2;
      this.amiss = page.entries.length === 0 && isEarly ? this.amiss + 1 : 0;
      return page;
    } catch (error) {
      const isKnown = [ConnectionFailed, RegistryError, UnexpectedAnswer].some((kind) => error instanceof kind);
      if (!isKnown) throw error;
      this.amiss = Math.min(this.amiss + 1, MAX_DOUBLINGS);
      // Whether it is the registry that is away is told by a request that is repeated as any other.
      return this.source.page(options);
    }
  }
}

function caughtUp(ms: number, isLive: boolean): Wait {
  return { reason: 'caught up', ms, ...(isLive && { isLive }) };
}
