/**
 * Single-flight: one call at a time, shared by all who wait for it. Whoever comes while a call is under way shares the next one, because the
 * current one may have read too early for them.
 */
export class SingleFlight<T> {
  private current: Promise<T> | undefined;
  private next: Promise<T> | undefined;

  constructor(private readonly call: () => Promise<T>) {}

  /** The result of a call that begins after this moment. */
  run(): Promise<T> {
    if (this.current === undefined) return this.begin();
    this.next ??= this.current.then(
      () => this.beginNext(),
      () => this.beginNext(),
    );
    return this.next;
  }

  private beginNext(): Promise<T> {
    this.next = undefined;
    return this.begin();
  }

  private begin(): Promise<T> {
    const begun = this.call();
    this.current = begun;
    const forget = (): void => {
      if (this.current === begun) this.current = undefined;
    };
    begun.then(forget, forget);
    return begun;
  }
}

interface Reading<T> {
  call: SingleFlight<T>;
  readers: number;
}

/**
 * Single-flight by key, for pages: one that several readers ask for at the same moment, as mirrors at the end of the feed do, is read and printed
 * once. Nobody is given a page whose reading began before they asked, so whoever was told of a change finds it.
 */
export class SingleFlights<T> {
  private readonly readings = new Map<string, Reading<T>>();

  /** @param key the same for requests for the same page @param read reads the page of that key */
  async read(key: string, read: () => Promise<T>): Promise<T> {
    const reading = this.readings.get(key) ?? { call: new SingleFlight(read), readers: 0 };
    this.readings.set(key, reading);
    reading.readers++;
    try {
      return await reading.call.run();
    } finally {
      reading.readers--;
      if (reading.readers === 0) this.readings.delete(key);
    }
  }
}
