/** Looked up once: inside a test, Jest intercepts each access to a global. */
const { floor, imul } = Math;

/** A seeded random source: the same seed gives the same choices, on every machine. */
export class Random {
  private state: number;

  /** @param seed an integer, of which the lower 32 bits count */
  constructor(readonly seed: number) {
    this.state = seed >>> 0;
  }

  /** From 0, inclusive, to 1, exclusive. The algorithm is mulberry32. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from `least` to `most`, both inclusive. */
  int(least: number, most: number): number {
    return least + floor(this.next() * (most - least + 1));
  }

  /** True in this share of the calls. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)] as T;
  }

  /** A separate source for a part, so that its choices don't depend on how the parts interleave. */
  fork(): Random {
    return new Random(this.int(0, 2 ** 32 - 1));
  }
}
