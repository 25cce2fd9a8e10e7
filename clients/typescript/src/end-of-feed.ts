import { ConnectionFailed, RegistryError, UnexpectedAnswer } from './errors.js';
import type { PageOptions } from './feed.js';
import type { Page } from './page.js';
import type { Wait } from './retry-policy.js';

/** Default pause, if the registry names none. */
const PAUSE_MS = 300_000;
/** Duration of a long poll: below the limit at which proxies and routers cut idle requests, usually a minute. */
const LONG_POLL_S = 25;
/** Minimum time between the starts of two requests, so that several changes share a page. It doubles with each failed request. */
const SPACING_MS = 1_000;
/** Maximum number of doublings, after failed requests: half a minute. */
const MAX_DOUBLINGS = 5;
/** Number of early answers after which long polls count as unsupported; a single one may come from a restart of the registry. */
const MAX_FAILURES = 2;

type PageRequest = PageOptions & { signal: AbortSignal | undefined };

/** Reads pages at the end of the feed. */
interface EndSource {
  page: (options: PageRequest) => Promise<Page>;
  /** A long poll: the registry delays an empty page up to this many seconds. Errors are reported at once, without retries. */
  longPoll: (options: PageRequest, seconds: number) => Promise<Page>;
  pause: (wait: Wait, signal: AbortSignal | undefined) => Promise<void>;
  onWait: (wait: Wait) => void;
}

/** Waits at the end of a registry's feed: by long polls, or by pauses if the registry or a proxy does not support long polls. */
export class EndOfFeed {
  private beganAt = -Infinity;
  /** Consecutive requests that ended early without a change. */
  private failures = 0;

  /**
   * @param pollMs fixed pause; undefined for long polls
   * @param now milliseconds of a monotonic clock
   */
  constructor(
    private readonly source: EndSource,
    private readonly pollMs: number | undefined,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether changes arrive immediately; undefined until the first attempt. */
  get isLive(): boolean | undefined {
    if (this.pollMs !== undefined) return false;
    return this.beganAt === -Infinity ? undefined : this.failures < MAX_FAILURES;
  }

  /** @returns the next page, which may be empty */
  async pageAfter(empty: Page, options: PageRequest): Promise<Page> {
    const restMs = this.pollMs ?? this.restMs(empty.backoffMs ?? PAUSE_MS);
    if (restMs > 0) await this.source.pause(caughtUp(restMs, this.isLive === true), options.signal);
    return this.pollMs === undefined ? this.pollLong(options) : this.source.page(options);
  }

  private restMs(pauseMs: number): number {
    return Math.max(0, this.beganAt + Math.min(SPACING_MS * 2 ** this.failures, pauseMs) - this.now());
  }

  private async pollLong(options: PageRequest): Promise<Page> {
    this.source.onWait(caughtUp(LONG_POLL_S * 1_000, true));
    this.beganAt = this.now();
    try {
      const page = await this.source.longPoll(options, LONG_POLL_S);
      const isEarly = this.now() - this.beganAt < (LONG_POLL_S * 1_000) / 2;
      this.failures = page.entries.length === 0 && isEarly ? this.failures + 1 : 0;
      return page;
    } catch (error) {
      const isKnown = [ConnectionFailed, RegistryError, UnexpectedAnswer].some((kind) => error instanceof kind);
      if (!isKnown) throw error;
      this.failures = Math.min(this.failures + 1, MAX_DOUBLINGS);
      // An ordinary request with retries shows whether the registry itself is down.
      return this.source.page(options);
    }
  }
}

function caughtUp(ms: number, isLive: boolean): Wait {
  return { reason: 'caught up', ms, ...(isLive && { isLive }) };
}
