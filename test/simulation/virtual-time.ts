interface Event {
  atMs: number;
  /** Events of one moment happen in the order in which they were planned. */
  number: number;
  act: (() => void) | undefined;
}

/** Time that passes from event to event: nothing waits really, and the same plan always runs in the same order. */
export class VirtualTime {
  nowMs = 0;
  private readonly heap: Event[] = [];
  private planned = 0;

  /** Plans `act`. @returns what calls it off */
  at(ms: number, act: () => void): () => void {
    const event: Event = { atMs: Math.max(ms, this.nowMs), number: this.planned++, act };
    this.push(event);
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
      const event = this.pop();
      if (event === undefined || event.atMs > limitMs) return false;
      if (event.act === undefined) continue;
      this.nowMs = event.atMs;
      event.act();
      await everythingThatWaitsForNothing();
    }
    return true;
  }

  private push(event: Event): void {
    const { heap } = this;
    let i = heap.length;
    heap.push(event);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!isBefore(event, heap[parent] as Event)) break;
      heap[i] = heap[parent] as Event;
      i = parent;
    }
    heap[i] = event;
  }

  private pop(): Event | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child++;
      if (!isBefore(heap[child] as Event, last)) break;
      heap[i] = heap[child] as Event;
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs === b.atMs ? a.number < b.number : a.atMs < b.atMs;
}

/** All microtasks run before the next macrotask. */
function everythingThatWaitsForNothing(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
