interface Waiting<Value> {
  resolve: (value: Value | undefined) => void;
  reject: (reason: unknown) => void;
}

/** Bounds of a loader. */
export interface LoaderLimits {
  /** Keys of one statement. */
  keys: number;
  /** Statements at the same time: while they are under way, the next one gathers. */
  underWay: number;
}

/**
 * Fetches values by their keys, those together that are asked for together: who comes while statements are under way shares the next one,
 * never one that began before it came, so that it sees everything that was acknowledged by then. Nothing is kept.
 */
export class Loader<Key, Value> {
  private waiting = new Map<Key, Waiting<Value>[]>();
  private underWay = 0;
  private begins = false;

  /** @param fetch one statement: the values that there are, by their keys; there is at least one key, and each stands once */
  constructor(
    private readonly fetch: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
    private readonly limits: LoaderLimits,
  ) {}

  /** @throws what `fetch` throws, as everybody does who shares the statement */
  load(key: Key): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      const others = this.waiting.get(key);
      if (others === undefined) this.waiting.set(key, [{ resolve, reject }]);
      else others.push({ resolve, reject });
      this.beginSoon();
    });
  }

  /** Requests that have arrived by now come along. */
  private beginSoon(): void {
    if (this.begins || this.underWay === this.limits.underWay) return;
    this.begins = true;
    setImmediate(() => {
      this.begins = false;
      void this.run();
    });
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
    if (waiting.size <= this.limits.keys) {
      this.waiting = new Map();
      return waiting;
    }
    const all = [...waiting];
    this.waiting = new Map(all.slice(this.limits.keys));
    return new Map(all.slice(0, this.limits.keys));
  }
}
