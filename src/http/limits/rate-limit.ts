import { LRUCache } from 'lru-cache';
import type { Rate } from '../../platform/config/setting-parsers.js';

/** The state of one key's bucket. Times are whole seconds, rounded up. */
export interface Balance {
  allowed: boolean;
  /** How many more requests would be allowed now. */
  remaining: number;
  /** Time until all of `burst` would be allowed again. */
  resetSeconds: number;
  /** Time until the next request would be allowed; 0: now. */
  retrySeconds: number;
}

/** Buckets in memory. The least recently used is evicted first, because it is most likely full again. */
const MAX_KEYS = 100_000;

/**
 * A token bucket for each key, stored as the time at which it is full again (the generic cell rate algorithm). It uses the monotonic clock,
 * so changes of the system time have no effect.
 */
export class RateLimit {
  // Not `max`, which allocates the memory for all keys when the service starts.
  private readonly fullAt = new LRUCache<string, number>({ maxSize: MAX_KEYS, sizeCalculation: () => 1 });
  private readonly tokenMs: number;

  /** @param nowMs a monotonic clock */
  constructor(
    readonly rate: Rate,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.tokenMs = 1_000 / rate.perSecond;
  }

  /** Takes a token from the bucket of `key` if it has one. */
  spend(key: string): Balance {
    const now = this.nowMs();
    const before = Math.max(this.fullAt.get(key) ?? now, now);
    const after = before + this.tokenMs;
    const excess = after - now - this.rate.burst * this.tokenMs;
    // Tolerates rounding errors of the sums.
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

  /** Takes further tokens even if the bucket lacks them: later requests wait until the debt is refilled. */
  charge(key: string, tokens: number): void {
    const now = this.nowMs();
    this.fullAt.set(key, Math.max(this.fullAt.get(key) ?? now, now) + tokens * this.tokenMs);
  }

  /** Milliseconds until the debt of `key` is refilled; 0: no debt. */
  debtMs(key: string): number {
    const now = this.nowMs();
    return Math.max(0, (this.fullAt.get(key) ?? now) - now - this.rate.burst * this.tokenMs);
  }
}
