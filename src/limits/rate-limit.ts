import { LRUCache } from 'lru-cache';
import type { Rate } from '../config/config.js';

/** What came of asking; times in whole seconds, rounded up. */
export interface Balance {
  allowed: boolean;
  /** How many more would be allowed now. */
  remaining: number;
  /** When all of `burst` would be allowed again. */
  resetSeconds: number;
  /** When the next one would be allowed; 0 for now. */
  retrySeconds: number;
}

/** Keys that are remembered; the one that was longest silent is forgotten first, and its bucket is mostly full again. */
const MOST_KEYS = 100_000;

/**
 * A token bucket for each key, kept as the moment at which it will be full (the generic cell rate algorithm). It looks at a clock that
 * nobody sets, so that steps of the system's time change nothing.
 */
export class RateLimit {
  // By its `max` it would take the room for all of them, and the time for that, when the service starts.
  private readonly fullAt = new LRUCache<string, number>({ maxSize: MOST_KEYS, sizeCalculation: () => 1 });
  private readonly tokenMs: number;

  /** @param nowMs a monotonic clock */
  constructor(
    readonly rate: Rate,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.tokenMs = 1_000 / rate.perSecond;
  }

  /** Takes a token out of the bucket of `key`, if there is one. */
  spend(key: string): Balance {
    const now = this.nowMs();
    const before = Math.max(this.fullAt.get(key) ?? now, now);
    const after = before + this.tokenMs;
    const excess = after - now - this.rate.burst * this.tokenMs;
    // Sums of fractions are a little off.
    const allowed = excess <= this.tokenMs / 1_000;
    if (allowed) this.fullAt.set(key, after);
    const fullIn = (allowed ? after : before) - now;
    return {
      allowed,
      remaining: allowed ? Math.floor(this.rate.burst - fullIn / this.tokenMs + 0.001) : 0,
      resetSeconds: Math.ceil(fullIn / 1_000),
      retrySeconds: allowed ? 0 : Math.max(1, Math.ceil(excess / 1_000)),
    };
  }

  /** Takes as many tokens more, whether they are there or not: those that come next are taken for what was owed. */
  charge(key: string, tokens: number): void {
    const now = this.nowMs();
    this.fullAt.set(key, Math.max(this.fullAt.get(key) ?? now, now) + tokens * this.tokenMs);
  }
}
