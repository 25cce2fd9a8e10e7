import type { CopyObserver, Step, Wait } from '../copying/observer.js';

/** How far a runner has come, at one moment. */
export interface Standing {
  step: Step;
  /** Of the feed, by time; 0 to 100. */
  percent: number;
  /** Written since this runner began. */
  assets: number;
  /** Since the standing before. */
  assetsPerSecond: number;
  /** Until the end of the feed, as fast as this runner has been; null while that is unknown. */
  secondsLeft: number | null;
  lastAssetId: string | null;
  /** What is being waited for, and for how long. */
  waiting: Wait | null;
}

/** Counts what a runner does; whoever shows it asks for the standing now and then. */
export class Progress implements CopyObserver {
  private firstUs = 0;
  private lastUs = 0;
  private atUs: number | undefined;
  private current: Step = 'pages';
  private assets = 0;
  private lastAssetId: string | null = null;
  private waiting: (Wait & { sinceMs: number }) | undefined;
  private began: { ms: number; share: number } | undefined;
  private shown: { ms: number; assets: number };

  /** @param now milliseconds of a clock that never steps */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.shown = { ms: this.now(), assets: 0 };
  }

  spans(firstUs: number, lastUs: number): void {
    this.firstUs = firstUs;
    this.lastUs = lastUs;
  }

  step(step: Step): void {
    this.current = step;
  }

  copied(assets: number, atUs: number | undefined, lastAssetId: string | undefined): void {
    // Where it goes forward, new changes move the end; newest first, the beginning stays the goal.
    if (this.current !== 'newest first') this.lastUs = Math.max(this.lastUs, atUs ?? 0);
    this.atUs = atUs ?? this.atUs;
    this.assets += assets;
    this.lastAssetId = lastAssetId ?? this.lastAssetId;
    this.waiting = undefined;
    this.began ??= { ms: this.now(), share: this.share() };
  }

  wait(wait: Wait): void {
    this.waiting = { ...wait, sinceMs: this.now() };
  }

  standing(): Standing {
    const ms = this.now();
    const passed = Math.max(ms - this.shown.ms, 1);
    const assetsPerSecond = Math.round(((this.assets - this.shown.assets) / passed) * 1_000);
    this.shown = { ms, assets: this.assets };
    return {
      step: this.current,
      percent: Math.floor(this.share() * 1_000) / 10,
      assets: this.assets,
      assetsPerSecond,
      secondsLeft: this.secondsLeft(ms),
      lastAssetId: this.lastAssetId,
      waiting: this.waitingAt(ms),
    };
  }

  private share(): number {
    if (this.current === 'caught up' || this.current === 'indexing') return 1;
    if (this.atUs === undefined || this.lastUs === this.firstUs) return 0;
    const done = this.current === 'newest first' ? this.lastUs - this.atUs : this.atUs - this.firstUs;
    return Math.min(Math.max(done / (this.lastUs - this.firstUs), 0), 1);
  }

  private secondsLeft(ms: number): number | null {
    const share = this.share();
    if (share === 1) return 0;
    if (this.began === undefined || share <= this.began.share) return null;
    return Math.round(((ms - this.began.ms) * (1 - share)) / (share - this.began.share) / 1_000);
  }

  private waitingAt(ms: number): Wait | null {
    if (this.waiting === undefined) return null;
    const left = Math.round(this.waiting.ms - (ms - this.waiting.sinceMs));
    return left > 0 ? { reason: this.waiting.reason, ms: left } : null;
  }
}
