import type { Wait } from 'asset-registry-client';
import type { Following } from '../copies/copy.js';
import { printable } from '../printable.js';

/** The current activity of a run. */
export type Step =
  'snapshot' | 'pages' | 'newest first' | 'indexing' | 'log' | 'caught up' | 'comparing' | 'checking the log';

/** Progress of a run at one moment. */
export interface ProgressReport {
  step: Step;
  /** Share of the entries that the registry counted when this run began; null until it has counted. */
  percent: number | null;
  /** Assets written by this run. */
  assets: number;
  /** Since the previous report. */
  assetsPerSecond: number;
  /** Until the end of the feed, at this run's average speed; null if unknown. */
  secondsLeft: number | null;
  lastAssetId: string | null;
  /** How this run waits at the end of the feed; null until it waits. */
  follows: Following | null;
  /** Upper bound of the copy's age: it has everything that the registry had this many seconds ago; null if unknown. */
  behindSeconds: number | null;
  /** Seconds since the registry's last answer; null before the first one. */
  heardSecondsAgo: number | null;
  /** The current wait and its duration. */
  waiting: Wait | null;
}

/** Counts the work of a run. A display polls `report`. */
export class Progress {
  private expected: number | undefined;
  private entries = 0;
  private current: Step = 'pages';
  private logShare: number | undefined;
  assets = 0;
  private lastAssetId: string | null = null;
  private waiting: (Wait & { sinceMs: number }) | undefined;
  private began: { ms: number; entries: number } | undefined;
  private answeredMs: number | undefined;
  private reachedUs: number | undefined;
  private follows: Following | null = null;
  private shown: { ms: number; assets: number };

  /**
   * @param now milliseconds of a monotonic clock
   * @param wallMs milliseconds since 1970 UTC
   */
  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly wallMs: () => number = () => Date.now(),
  ) {
    this.shown = { ms: this.now(), assets: 0 };
  }

  /** @param entries number of entries to copy */
  expects(entries: number): void {
    this.expected = entries;
  }

  step(step: Step): void {
    this.current = step;
    this.logShare = undefined;
  }

  /** Reports how much of the log was copied or checked. */
  logged(entries: number, of: number): void {
    this.logShare = of === 0 ? 1 : entries / of;
    this.waiting = undefined;
  }

  /**
   * @param assets written
   * @param entries number of entries read for them; 0 for new changes while older assets are copied
   * @param lastAssetId undefined if no asset was written
   */
  copied(assets: number, entries: number, lastAssetId: string | undefined): void {
    this.assets += assets;
    this.entries += entries;
    this.lastAssetId = lastAssetId ?? this.lastAssetId;
    this.waiting = undefined;
    this.began ??= { ms: this.now(), entries: this.entries };
  }

  /** Reports a log entry whose state was not replaced, because the registry's state does not match the entry. @param why a sentence */
  refused(why: string): void {
    process.stderr.write(`${printable(why)}\n`);
  }

  /** Called for each answer of the registry. */
  answered(): void {
    this.answeredMs = this.now();
    this.waiting = undefined;
  }

  /** The copy has all changes up to this instant, in microseconds since 1970 UTC. */
  reached(us: number): void {
    this.reachedUs = us;
  }

  wait(wait: Wait): void {
    this.waiting = { ...wait, sinceMs: this.now() };
    if (wait.reason === 'caught up') this.follows = wait.isLive ? 'live' : 'polling';
  }

  report(): ProgressReport {
    const ms = this.now();
    const passed = Math.max(ms - this.shown.ms, 1);
    const assetsPerSecond = Math.round(((this.assets - this.shown.assets) / passed) * 1_000);
    this.shown = { ms, assets: this.assets };
    const share = this.share();
    return {
      step: this.current,
      percent: share === undefined ? null : Math.floor(share * 1_000) / 10,
      assets: this.assets,
      assetsPerSecond,
      secondsLeft: this.secondsLeft(ms),
      lastAssetId: this.lastAssetId,
      follows: this.follows,
      behindSeconds: this.behindAt(ms),
      heardSecondsAgo: this.answeredMs === undefined ? null : secondsOf(ms - this.answeredMs),
      waiting: this.waitingAt(ms),
    };
  }

  private behindAt(ms: number): number | null {
    // During a long poll, the copy is current: a change would have been sent.
    if (this.waitingAt(ms)?.isLive) return 0;
    // The last answer was the empty page at the end.
    if (this.current === 'caught up' && this.answeredMs !== undefined) return secondsOf(ms - this.answeredMs);
    return this.reachedUs === undefined ? null : secondsOf(Math.max(0, this.wallMs() - this.reachedUs / 1_000));
  }

  /** @returns undefined if unknown, and while comparing */
  private share(): number | undefined {
    if (this.current === 'caught up' || this.current === 'indexing') return 1;
    if (this.current === 'log' || this.current === 'checking the log') return this.logShare;
    if (this.expected === undefined || this.current === 'comparing') return undefined;
    // More entries may be read than were counted, because new changes are copied too.
    return this.expected === 0 ? 1 : Math.min(this.entries / this.expected, 1);
  }

  private secondsLeft(ms: number): number | null {
    const share = this.share();
    if (share === 1) return 0;
    if (share === undefined || this.logShare !== undefined) return null;
    if (this.expected === undefined || this.began === undefined) return null;
    const done = this.entries - this.began.entries;
    return done === 0 ? null : Math.round(((ms - this.began.ms) * (this.expected - this.entries)) / done / 1_000);
  }

  private waitingAt(ms: number): Wait | null {
    if (this.waiting === undefined) return null;
    const left = Math.round(this.waiting.ms - (ms - this.waiting.sinceMs));
    const { sinceMs: _, ...wait } = this.waiting;
    return left > 0 ? { ...wait, ms: left } : null;
  }
}

function secondsOf(ms: number): number {
  return Math.floor(ms / 1_000);
}
