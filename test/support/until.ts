import { setTimeout as sleep } from 'node:timers/promises';

const REST_MS = 5;

/** Polls a condition, yielding the processor meanwhile. The test's own timeout ends it. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(REST_MS);
}
