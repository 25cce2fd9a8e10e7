import { TIME_BUDGETS_MS } from '../../platform/config/time-budgets.js';
import { unavailable } from '../../platform/errors/errors.js';

interface Waiting<Key, Value> {
  key: Key;
  sinceMs: number;
  resolve: (value: Value | undefined) => void;
  reject: (reason: unknown) => void;
}

interface LoaderLimits {
  /** Keys of one statement. */
  keys: number;
  /** Statements at the same time: while they are under way, the next one gathers. */
  underWay: number;
}

/**
 * Fetches values by their keys, those together that are asked for together: who comes while statements are under way shares the next one,
 * never one that began before it came, so that it sees everything that was acknowledged by then. Nothing is kept.
 */
export class DataLoader<Key, Value> {
  /** In the order in which they came. */
  private waiting: Waiting<Key, Value>[] = [];
  private underWay = 0;
  private begins = false;

  /**
   * @param fetch one statement: the values that there are, by their keys; there is at least one key, and each stands once
   * @param now milliseconds that never go back
   */
  constructor(
    private readonly fetch: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
    private readonly limits: LoaderLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws what `fetch` throws, as everybody does who shares the statement; ApiError 503 where those under way take too long */
  load(key: Key): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, sinceMs: this.now(), resolve, reject });
      this.beginSoon();
    });
  }

  /** Requests that have arrived by now come along. */
  private beginSoon(): void {
    if (this.begins || this.underWay === this.limits.underWay) return;
    this.begins = true;
    setImmediate(() => {
      this.begins = false;
      this.refuseLate();
      if (this.waiting.length > 0) void this.run();
    });
  }

  /** Something holds up the statements: who has waited for one of them would wait too long for the next. */
  private refuseLate(): void {
    const latestMs = this.now() - TIME_BUDGETS_MS.sharedStatement;
    for (const { reject } of this.take(({ sinceMs }) => sinceMs < latestMs)) reject(unavailable('deadline'));
  }

  private async run(): Promise<void> {
    const keys = new Set([...new Set(this.waiting.map(({ key }) => key))].slice(0, this.limits.keys));
    const batch = this.take(({ key }) => keys.has(key));
    this.underWay++;
    if (this.waiting.length > 0) this.beginSoon();
    try {
      const values = await this.fetch([...keys]);
      for (const { key, resolve } of batch) resolve(values.get(key));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.underWay--;
    if (this.waiting.length > 0) this.beginSoon();
  }

  private take(isTaken: (one: Waiting<Key, Value>) => boolean): Waiting<Key, Value>[] {
    const taken = this.waiting.filter(isTaken);
    this.waiting = this.waiting.filter((one) => !isTaken(one));
    return taken;
  }
}
