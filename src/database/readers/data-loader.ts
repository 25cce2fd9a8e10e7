import { TIME_BUDGETS_MS } from '../../platform/config/time-budgets.js';
import { unavailable } from '../../platform/errors/errors.js';

interface Waiting<Key, Value> {
  key: Key;
  sinceMs: number;
  resolve: (value: Value | undefined) => void;
  reject: (reason: unknown) => void;
}

interface LoaderLimits {
  /** Keys per statement. */
  keys: number;
  /** Concurrent statements; while they run, keys are collected for the next one. */
  concurrent: number;
}

/**
 * Fetches values by key, batching concurrent loads into one statement. A load never joins a statement that has begun, so it sees every
 * write that was acknowledged before. Nothing is cached.
 */
export class DataLoader<Key, Value> {
  /** In order of arrival. */
  private waiting: Waiting<Key, Value>[] = [];
  private running = 0;
  private isScheduled = false;

  /**
   * @param fetch runs one statement and returns the existing values; called with at least one key, without duplicates
   * @param now a monotonic clock in milliseconds
   */
  constructor(
    private readonly fetch: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
    private readonly limits: LoaderLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws what `fetch` throws, ApiError 503 if running statements take too long */
  load(key: Key): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, sinceMs: this.now(), resolve, reject });
      this.schedule();
    });
  }

  /** Schedules a statement for the requests that have arrived in this turn of the event loop. */
  private schedule(): void {
    if (this.isScheduled || this.running === this.limits.concurrent) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.rejectLate();
      if (this.waiting.length > 0) void this.run();
    });
  }

  /** Rejects loads that have waited too long already, because running statements are slow. */
  private rejectLate(): void {
    const oldestMs = this.now() - TIME_BUDGETS_MS.sharedStatement;
    for (const { reject } of this.removeWaiting(({ sinceMs }) => sinceMs < oldestMs)) reject(unavailable('deadline'));
  }

  private async run(): Promise<void> {
    const keys = new Set([...new Set(this.waiting.map(({ key }) => key))].slice(0, this.limits.keys));
    const batch = this.removeWaiting(({ key }) => keys.has(key));
    this.running++;
    if (this.waiting.length > 0) this.schedule();
    try {
      const values = await this.fetch([...keys]);
      for (const { key, resolve } of batch) resolve(values.get(key));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.running--;
    if (this.waiting.length > 0) this.schedule();
  }

  private removeWaiting(matches: (one: Waiting<Key, Value>) => boolean): Waiting<Key, Value>[] {
    const removed = this.waiting.filter(matches);
    this.waiting = this.waiting.filter((one) => !matches(one));
    return removed;
  }
}
