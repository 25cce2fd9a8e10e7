import { ConnectionFailed, RegistryError, UnexpectedAnswer } from './errors.js';
import type { PageOptions } from './feed.js';
import { LiveWaits } from './live-waits.js';
import type { Page } from './page.js';
import { wasSent, type Wait } from './repeats.js';

/** As the registry asks for, should it not say so. */
const PAUSE_MS = 300_000;
/** Somebody in between who would not wait. */
const CUT = [408, 502, 504, 524];

type Asked = PageOptions & { signal: AbortSignal | undefined };

export interface HeldPage {
  page: Page;
  /** The connection ends with it. */
  isEnding: boolean;
}

/** How pages are come by at the end of the feed. */
interface EndSource {
  page: (options: Asked) => Promise<Page>;
  /** A page that the registry holds back for so many seconds while it would be empty. What goes wrong is told at once. */
  heldPage: (options: Asked, seconds: number) => Promise<HeldPage>;
  pause: (wait: Wait, signal: AbortSignal | undefined) => Promise<void>;
  onWait: (wait: Wait) => void;
}

/** The end of one registry's feed, and how it is waited at. */
export class EndOfFeed {
  private readonly live: LiveWaits;

  /**
   * @param pollMs the pause that is made in any case; without it the registry is asked to answer when something comes
   * @param now milliseconds of a clock that never steps
   */
  constructor(
    private readonly source: EndSource,
    private readonly pollMs: number | undefined,
    now?: () => number,
  ) {
    this.live = new LiveWaits(now);
  }

  /** Whether changes come as they are made; undefined until that was tried. */
  get isLive(): boolean | undefined {
    return this.pollMs === undefined ? this.live.isLive : false;
  }

  /** @returns the next page, which may be empty too */
  async pageAfter(empty: Page, options: Asked): Promise<Page> {
    const pauseMs = this.pollMs ?? empty.backoffMs ?? PAUSE_MS;
    const { restMs, seconds } = this.pollMs === undefined ? this.live.turn(pauseMs) : { restMs: pauseMs, seconds: 0 };
    if (restMs > 0) await this.source.pause(caughtUp(restMs, this.isLive === true), options.signal);
    return seconds === 0 ? this.source.page(options) : this.held(options, seconds);
  }

  private async held(options: Asked, seconds: number): Promise<Page> {
    this.source.onWait(caughtUp(seconds * 1_000, true));
    this.live.begin();
    try {
      const { page, isEnding } = await this.source.heldPage(options, seconds);
      this.live.answered(page.entries.length === 0, isEnding);
      return page;
    } catch (error) {
      if (!this.learns(error)) throw error;
      // Whether it is the registry that is away is told by a request that is repeated as any other.
      return this.source.page(options);
    }
  }

  /** @returns false for what has nothing to do with the wait */
  private learns(error: unknown): boolean {
    if (error instanceof ConnectionFailed) {
      if (wasSent(error)) this.live.cut();
      return true;
    }
    if (error instanceof RegistryError && CUT.includes(error.status)) this.live.cut();
    else if (error instanceof RegistryError || error instanceof UnexpectedAnswer) this.live.refused();
    else return false;
    return true;
  }
}

function caughtUp(ms: number, isLive: boolean): Wait {
  return { reason: 'caught up', ms, ...(isLive && { isLive }) };
}
