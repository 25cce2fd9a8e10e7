import { setTimeout as sleep } from 'node:timers/promises';

/*
 * The system's time, as it is read and waited for. The wall clock proposes the next instant. The order of changes never depends on it: it only
 * keeps instants close to the true time.
 */

/** Deviations up to this are followed at once: drift, and the slewing of a time daemon. */
const FOLLOWED_MS = 1_000;
/** How far two clocks may differ only because they are read one after the other. */
const NOISE_MS = 3;
/** A larger step is followed once the system's clock has kept to it for this long. */
const AGREEMENT_MS = 5 * 60 * 1_000;

interface TimeSources {
  /** Milliseconds since 1970 UTC; may step. */
  wallMs(): number;
  /** Milliseconds from any beginning; never steps. */
  monotonicMs(): number;
}

const SYSTEM_TIME: TimeSources = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

/** How writers and followers wait; a simulation puts its own time in its place. */
export interface Timing {
  sleep(ms: number): Promise<void>;
  /** As setImmediate: resolves once the I/O that has arrived by now was handled. */
  immediate(): Promise<void>;
  /** A time that never steps, in milliseconds. */
  nowMs(): number;
  /** Calls `act` once, after that time. @returns what cancels it */
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

/** A wall clock that runs on the monotonic one, so that a step of the system's time is not followed blindly. */
export class WallClock {
  /** Whether what it says can be believed: while it cannot, nothing is written. The judge says so (clock-monitor.ts). */
  isBelieved = false;
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

  /** By how many milliseconds the system's time has stepped away from this clock; 0 while they agree. */
  stepMs(): number {
    return this.step?.ms ?? 0;
  }

  /** What the system's clock says, believed or not, in microseconds since 1970 UTC. */
  systemUs(): number {
    return Math.floor(this.time.wallMs() * 1_000);
  }

  /** Follows the system's clock at once: somebody knows that it is right. */
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
