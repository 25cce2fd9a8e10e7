import { partitionPoint } from '../support/partition-point.js';

interface Event {
  atMs: number;
  act: (() => void) | undefined;
}

/** Time that passes from event to event: nothing waits really, and the same plan always runs in the same order. */
export class VirtualTime {
  nowMs = 0;
  /** The next one last. */
  private readonly events: Event[] = [];

  /** Plans `act`; events of one moment happen in the order in which they were planned. @returns what calls it off */
  at(ms: number, act: () => void): () => void {
    const event: Event = { atMs: Math.max(ms, this.nowMs), act };
    const index = partitionPoint(this.events, ({ atMs }) => atMs <= event.atMs);
    this.events.splice(index, 0, event);
    return () => (event.act = undefined);
  }

  after(ms: number, act: () => void): () => void {
    return this.at(this.nowMs + ms, act);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** Lets events happen until `isOver`. @returns false when nothing is planned any more, or the limit has passed before */
  async run(isOver: () => boolean, limitMs: number): Promise<boolean> {
    while (!isOver()) {
      const event = this.events.pop();
      if (event === undefined || event.atMs > limitMs) return false;
      if (event.act === undefined) continue;
      this.nowMs = event.atMs;
      event.act();
      await everythingThatWaitsForNothing();
    }
    return true;
  }
}

/** All microtasks run before the next macrotask. */
function everythingThatWaitsForNothing(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
