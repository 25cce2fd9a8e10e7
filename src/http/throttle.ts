const AT_ONCE = 8;
const PAUSE_MS = 5;

/** Runs work that may wait, a few pieces at a time (about 1,600 a second), so that other work need not wait for all of it. */
export class Throttle {
  private waiting: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;

  add(work: () => void): void {
    this.waiting.push(work);
    this.timer ??= setInterval(() => this.goOn(), PAUSE_MS);
  }

  private goOn(): void {
    for (const work of this.waiting.splice(0, AT_ONCE)) work();
    if (this.waiting.length > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
