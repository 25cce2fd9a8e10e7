import v8 from 'node:v8';

/**
 * By how many percent V8's old generation grows before it is collected. By itself (0) V8 let it grow to four times of what was alive, which
 * bodies of many values do within a second.
 */
const GROWTH = 100;
/**
 * The same where much is alive for long: a heap that is large, or so many connections that were never sent anything, each of which lives for
 * seconds, which makes it and its request old.
 */
const GROWTH_OF_MUCH = 50;
/**
 * A heap with more bytes in use, garbage among them, is large. Without large bodies some 50 MB are alive, and it is so only shortly before a
 * collection.
 */
const LARGE = 80 * 1024 * 1024;
/**
 * V8's young generation doubles no more once it is so large, in bytes. By itself it goes to 128 MB with Node 24, and to half of that with 26.
 * `--max-semi-space-size` would say so, and is not taken while a process runs.
 */
const YOUNG_ENOUGH = 30 * 1024 * 1024;

/** How V8's heap grows from now on. @param isCrowd many connections were never sent anything */
export function heapFlags(isCrowd: boolean): string {
  const young = v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  const factor = (young?.space_size ?? 0) < YOUNG_ENOUGH ? 2 : 1;
  const isMuch = isCrowd || v8.getHeapStatistics().used_heap_size > LARGE;
  return `--heap-growing-percent=${isMuch ? GROWTH_OF_MUCH : GROWTH} --semi-space-growth-factor=${factor}`;
}
