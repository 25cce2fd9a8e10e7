import v8 from 'node:v8';

/** Some 50 MB are alive under usual work. */
const LARGE_BYTES = 96 * 1024 * 1024;
/** The heap is small again after each collection, which says nothing of the next one. */
const THRIFTY_MS = 60_000;
/**
 * By how many percent V8's old generation grows before it is collected, where memory counts. Connections that were never sent anything live for
 * seconds, which makes them and their requests old, and so do bodies of many values that wait. By itself (0) V8 let what was left of them grow
 * to four times of what was alive, as that takes less of the processor.
 */
const THRIFTY_GROWTH = 50;

/** How much garbage V8 gathers before it collects what is old. */
export class HeapGrowth {
  private growth = 0;
  /** When the heap was large last. */
  private largeMs = -Infinity;

  /** Called now and then. @param isCrowd there are very many connections */
  fit(isCrowd: boolean): void {
    const now = performance.now();
    if (v8.getHeapStatistics().used_heap_size > LARGE_BYTES) this.largeMs = now;
    const growth = isCrowd || now - this.largeMs < THRIFTY_MS ? THRIFTY_GROWTH : 0;
    if (growth !== this.growth) v8.setFlagsFromString(`--heap-growing-percent=${growth}`);
    this.growth = growth;
  }
}
