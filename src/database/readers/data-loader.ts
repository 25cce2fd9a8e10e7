import { TIME_BUDGETS_MS } from '../../platform/config/time-budgets.js';
import { unavailable } from '../../platform/errors/errors.js';

interface Waiting<Value> {
  /** When it came. */
  sinceMs: number;
  resolve: (value: Value | undefined) => void;
  reject: (reason: unknown) => void;
}

/** Bounds of a loader. */
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
  private waiting = new Map<Key, Waiting<Value>[]>();
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
      const others = this.waiting.get(key);
      const waiting = { sinceMs: this.now(), resolve, reject };
      if (others === undefined) this.waiting.set(key, [waiting]);
      else others.push(waiting);
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
      if (this.waiting.size > 0) void this.run();
    });
  }

  /** Something holds up the statements: who has waited for one of them would wait too long for the next. */
  private refuseLate(): void {
    const latestMs = this.now() - TIME_BUDGETS_MS.sharedStatement;
    for (const [key, all] of this.waiting) {
      // The oldest stands first.
      if ((all[0]?.sinceMs ?? Infinity) >= latestMs) continue;
      const [late, left] = [
        all.filter(({ sinceMs }) => sinceMs < latestMs),
        all.filter(({ sinceMs }) => sinceMs >= latestMs),
      ];
      if (left.length > 0) this.waiting.set(key, left);
      else this.waiting.delete(key);
      for (const { reject } of late) reject(unavailable('deadline'));
    }
  }

  private async run(): Promise<void> {
    const batch = this.nextKeys();
    this.underWay++;
    if (this.waiting.size > 0) this.beginSoon();
    try {
      const values = await this.fetch([...batch.keys()]);
      for (const [key, all] of batch) for (const { resolve } of all) resolve(values.get(key));
    } catch (error) {
      for (const all of batch.values()) for (const { reject } of all) reject(error);
    }
    this.underWay--;
    if (this.waiting.size > 0) this.beginSoon();
  }

  private nextKeys(): ReadonlyMap<Key, Waiting<Value>[]> {
    const { waiting } = this;
    const { keys } = this.limits;
    if (waiting.size <= keys) {
      this.waiting = new Map();
      return waiting;
    }
    const all = [...waiting];
    this.waiting = new Map(all.slice(keys));
    return new Map(all.slice(0, keys));
  }
}
