import { setTimeout as sleep } from 'node:timers/promises';

/*
 * The system's time, and timers. The wall clock proposes the next instant. The order of changes never depends on it: it only keeps instants
 * close to the true time.
 */

/** Larger deviations count as a step; smaller ones are drift, or a time daemon that slews the clock. */
const FOLLOWED_MS = 1_000;
/** Clocks may differ by this much only because they are read one after the other. */
const NOISE_MS = 3;
/** A step is followed once it has lasted for this long. */
const AGREEMENT_MS = 5 * 60 * 1_000;

interface TimeSources {
  /** Milliseconds since 1970 UTC; may step. */
  wallMs(): number;
  /** Milliseconds from any beginning; never steps. */
  monotonicMs(): number;
}

const SYSTEM_TIME: TimeSources = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

/** Timers and randomness of writers and followers. A simulation supplies its own. */
export interface Timing {
  sleep(ms: number): Promise<void>;
  /** Like setImmediate: resolves once the I/O that has arrived by now was handled. */
  immediate(): Promise<void>;
  /** Monotonic time in milliseconds. */
  nowMs(): number;
  /** Calls `act` once, after that time. @returns a function that cancels it */
  after(ms: number, act: () => void): () => void;
  /** At least 0 and less than 1. */
  random(): number;
}

export const SYSTEM_TIMING: Timing = {
  sleep: (ms) => sleep(ms),
  immediate: () => new Promise((resolve) => void setImmediate(resolve)),
  nowMs: () => performance.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/** A wall clock derived from the monotonic clock, so that it need not follow a step of the system's time. */
export class WallClock {
  /** Set by ClockMonitor. While false, nothing is written. */
  isTrusted = false;
  private anchorMs: number;
  private step: { ms: number; sinceMonotonicMs: number } | undefined;

  constructor(private readonly time: TimeSources = SYSTEM_TIME) {
    this.anchorMs = time.wallMs() - time.monotonicMs();
  }

  /** Microseconds since 1970 UTC. */
  nowUs(): number {
    const monotonicMs = this.time.monotonicMs();
    this.follow(this.time.wallMs() - (this.anchorMs + monotonicMs), monotonicMs);
    return Math.floor((this.anchorMs + monotonicMs) * 1_000);
  }

  /** How far the system's time has stepped away from this clock, in milliseconds; 0 while they agree. */
  stepMs(): number {
    return this.step?.ms ?? 0;
  }

  /** The system's time, trusted or not, in microseconds since 1970 UTC. */
  systemUs(): number {
    return Math.floor(this.time.wallMs() * 1_000);
  }

  /** Follows the system's clock at once; the caller knows that it is right. */
  adopt(): void {
    this.anchorMs = this.time.wallMs() - this.time.monotonicMs();
    this.step = undefined;
  }

  private follow(deviationMs: number, monotonicMs: number): void {
    if (Math.abs(deviationMs) <= FOLLOWED_MS) {
      if (Math.abs(deviationMs) > NOISE_MS) this.anchorMs += deviationMs;
      this.step = undefined;
      return;
    }
    if (this.step === undefined || Math.abs(this.step.ms - deviationMs) > FOLLOWED_MS) {
      this.step = { ms: deviationMs, sinceMonotonicMs: monotonicMs };
    }
    if (monotonicMs - this.step.sinceMonotonicMs >= AGREEMENT_MS) {
      this.anchorMs += deviationMs;
      this.step = undefined;
    }
  }
}
