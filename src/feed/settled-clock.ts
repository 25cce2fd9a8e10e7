/**
 * The highest value of the feed's clock that this process knows to be settled: every batch up to it is over, and visible to any
 * reader that starts from now on.
 */
export class SettledClock {
  private highestUs = 0;

  get us(): number {
    return this.highestUs;
  }

  raise(us: number): void {
    if (us > this.highestUs) this.highestUs = us;
  }
}
