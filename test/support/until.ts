import { setTimeout as sleep } from 'node:timers/promises';

const REST_MS = 5;

/** Looks again and again until it is so, and leaves the processor to what it waits for meanwhile. The test's own timeout ends it. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(REST_MS);
}
