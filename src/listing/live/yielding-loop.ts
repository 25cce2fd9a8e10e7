import type { Timing } from '../../feed/clock/wall-clock.js';

const YIELD_AFTER_MS = 0.25;

/** Calls `act` for each item, and yields to pending I/O every 0.25 ms: there may be thousands of followers. @throws the errors of `act`, and skips later items */
export async function forEachYielding<Item>(
  timing: Pick<Timing, 'immediate'>,
  items: Iterable<Item>,
  act: (item: Item) => void,
): Promise<void> {
  let beganMs = performance.now();
  for (const item of items) {
    act(item);
    if (performance.now() - beganMs < YIELD_AFTER_MS) continue;
    await timing.immediate();
    beganMs = performance.now();
  }
}
