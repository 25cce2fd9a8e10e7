import type { Wait } from 'asset-registry-client';
import type { Following } from '../copies/copy.js';
import { printable } from '../printable.js';

/** What a runner does at the moment. */
export type Step =
  'snapshot' | 'pages' | 'newest first' | 'indexing' | 'log' | 'caught up' | 'comparing' | 'checking the log';

/** How far a runner has come, at one moment. */
export interface Standing {
  step: Step;
  /** Of what there was to copy when this runner began, as the registry has counted it; null until it has. */
  percent: number | null;
  /** Written since this runner began. */
  assets: number;
  /** Since the standing before. */
  assetsPerSecond: number;
  /** Until the end of the feed, as fast as this runner has been; null while that is unknown. */
  secondsLeft: number | null;
  lastAssetId: string | null;
  /** How the end of the feed is waited at; null until it is. */
  follows: Following | null;
  /** The copy holds all that the registry had so many seconds ago, and perhaps what came since; null until that is known. */
  behindSeconds: number | null;
  /** Since the registry's last answer; null until there is one. */
  heardSecondsAgo: number | null;
  /** What is being waited for, and for how long. */
  waiting: Wait | null;
}

/** Counts what a runner does; whoever shows it asks for the standing now and then. */
export class Progress {
  private expected: number | undefined;
  private entries = 0;
  private current: Step = 'pages';
  private logShare: number | undefined;
  assets = 0;
  private lastAssetId: string | null = null;
  private waiting: (Wait & { sinceMs: number }) | undefined;
  private began: { ms: number; entries: number } | undefined;
  private heardMs: number | undefined;
  private reachedUs: number | undefined;
  private follows: Following | null = null;
  private shown: { ms: number; assets: number };

  /**
   * @param now milliseconds of a clock that never steps
   * @param wallMs milliseconds since 1970 UTC
   */
  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly wallMs: () => number = () => Date.now(),
  ) {
    this.shown = { ms: this.now(), assets: 0 };
  }

  /** @param entries of the feed that there are to copy */
  expects(entries: number): void {
    this.expected = entries;
  }

  step(step: Step): void {
    this.current = step;
    this.logShare = undefined;
  }

  /** So much of the log is kept, or checked. */
  logged(entries: number, of: number): void {
    this.logShare = of === 0 ? 1 : entries / of;
    this.waiting = undefined;
  }

  /**
   * @param assets that were written
   * @param entries of the feed that they were among; 0 for new changes while older assets are copied
   * @param lastAssetId undefined where none of them is kept
   */
  copied(assets: number, entries: number, lastAssetId: string | undefined): void {
    this.assets += assets;
    this.entries += entries;
    this.lastAssetId = lastAssetId ?? this.lastAssetId;
    this.waiting = undefined;
    this.began ??= { ms: this.now(), entries: this.entries };
  }

  /** What the registry shows of an entry now is not what that binds: the copy keeps its own. @param why a sentence */
  refused(why: string): void {
    process.stderr.write(`${printable(why)}\n`);
  }

  /** The registry has answered. */
  heard(): void {
    this.heardMs = this.now();
    this.waiting = undefined;
  }

  /** The copy holds all changes up to this instant, in microseconds since 1970 UTC. */
  reached(us: number): void {
    this.reachedUs = us;
  }

  wait(wait: Wait): void {
    this.waiting = { ...wait, sinceMs: this.now() };
    if (wait.reason === 'caught up') this.follows = wait.isLive ? 'live' : 'polling';
  }

  standing(): Standing {
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
      heardSecondsAgo: this.heardMs === undefined ? null : secondsOf(ms - this.heardMs),
      waiting: this.waitingAt(ms),
    };
  }

  private behindAt(ms: number): number | null {
    // A change would have come by now.
    if (this.waitingAt(ms)?.isLive) return 0;
    // The last answer was that there is nothing more.
    if (this.current === 'caught up' && this.heardMs !== undefined) return secondsOf(ms - this.heardMs);
    return this.reachedUs === undefined ? null : secondsOf(Math.max(0, this.wallMs() - this.reachedUs / 1_000));
  }

  /** @returns undefined while nobody knows: what is compared is not counted */
  private share(): number | undefined {
    if (this.current === 'caught up' || this.current === 'indexing') return 1;
    if (this.current === 'log' || this.current === 'checking the log') return this.logShare;
    if (this.expected === undefined || this.current === 'comparing') return undefined;
    // What was changed meanwhile comes on top.
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
