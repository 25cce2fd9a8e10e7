import type { Requester } from './semaphore.js';

/**
 * Single-flight: one call at a time, shared by all waiting callers. A caller that arrives during a call shares the next one, because the current
 * one may have read its data before the caller's request.
 */
export class SingleFlight<T> {
  private current: Promise<T> | undefined;
  private next: Promise<T> | undefined;

  constructor(private readonly call: () => Promise<T>) {}

  /** Returns the result of a call that begins after this moment. */
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
  readers: Set<Requester>;
}

/**
 * Single-flight by key, for pages: a page that several clients request at the same moment, as mirrors at the end of the feed do, is read and
 * printed once. No client gets a page whose reading began before its request, so a client that knows of a change finds it.
 */
export class SingleFlights<T> {
  private readonly readings = new Map<string, Reading<T>>();

  /**
   * @param key the same for requests for the same page
   * @param read reads the page of that key. `all` stands for all clients that share it, and is gone when the last of them is
   */
  async read(
    key: string,
    read: (all: Requester) => Promise<T>,
    reader: Requester = { isGone: () => false },
  ): Promise<T> {
    const reading = this.readings.get(key) ?? beginning(read);
    this.readings.set(key, reading);
    reading.readers.add(reader);
    try {
      return await reading.call.run();
    } finally {
      reading.readers.delete(reader);
      if (reading.readers.size === 0) this.readings.delete(key);
    }
  }
}

function beginning<T>(read: (all: Requester) => Promise<T>): Reading<T> {
  const readers = new Set<Requester>();
  const all = { isGone: () => [...readers].every((reader) => reader.isGone()) };
  return { call: new SingleFlight(() => read(all)), readers };
}
