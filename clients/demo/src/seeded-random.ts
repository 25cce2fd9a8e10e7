/** A seeded random source (mulberry32): the same seed gives the same choices on any machine. */
export class SeededRandom {
  constructor(private state: number) {}

  /** @returns a number from 0, inclusive, to 1, exclusive */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  /** @returns an integer, both bounds inclusive */
  integer(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  pick<T>(list: readonly T[]): T {
    return list[this.integer(0, list.length - 1)] as T;
  }

  /** @param probability of true, from 0 to 1 */
  boolean(probability: number): boolean {
    return this.next() < probability;
  }

  /** @returns 32 lower-case hex characters, such as a lot's id */
  hex(): string {
    return Array.from({ length: 32 }, () => this.integer(0, 15).toString(16)).join('');
  }
}
