/** A statement takes no more keys. */
const MOST_KEYS = 64;

interface Waiting<Row> {
  resolve: (row: Row | undefined) => void;
  reject: (reason: unknown) => void;
}

/**
 * Fetches rows by their keys, those together that are asked for together: who comes while statements are under way shares the next one,
 * never one that began before it came, so that it sees everything that was acknowledged by then. Nothing is kept.
 */
export class Loader<Row> {
  private waiting = new Map<string, Waiting<Row>[]>();
  private underWay = 0;
  private begins = false;

  /**
   * @param fetch one statement: the rows that there are, by their keys; there are at least one and at most 64 keys, each once
   * @param mostUnderWay statements at the same time
   */
  constructor(
    private readonly fetch: (keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
    private readonly mostUnderWay: number,
  ) {}

  /** @throws what `fetch` throws, as everybody does who shares the statement */
  load(key: string): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      const others = this.waiting.get(key);
      if (others === undefined) this.waiting.set(key, [{ resolve, reject }]);
      else others.push({ resolve, reject });
      this.beginSoon();
    });
  }

  /** Requests that have arrived by now come along. */
  private beginSoon(): void {
    if (this.begins || this.underWay === this.mostUnderWay) return;
    this.begins = true;
    setImmediate(() => {
      this.begins = false;
      void this.run();
    });
  }

  private async run(): Promise<void> {
    const batch = this.take();
    this.underWay++;
    if (this.waiting.size > 0) this.beginSoon();
    try {
      const rows = await this.fetch([...batch.keys()]);
      for (const [key, all] of batch) for (const { resolve } of all) resolve(rows.get(key));
    } catch (error) {
      for (const all of batch.values()) for (const { reject } of all) reject(error);
    }
    this.underWay--;
    if (this.waiting.size > 0) this.beginSoon();
  }

  private take(): ReadonlyMap<string, Waiting<Row>[]> {
    const all = [...this.waiting];
    this.waiting = new Map(all.slice(MOST_KEYS));
    return new Map(all.slice(0, MOST_KEYS));
  }
}
