import type { Timing } from '../../feed/clock/wall-clock.js';

/** How long items are served before pending I/O is handled, in milliseconds. There may be thousands of followers. */
const MAX_MS_AT_ONCE = 0.25;

/** Calls `act` for each item in order, and lets pending I/O be handled every 0.25 ms. @throws what `act` throws: later items are left out */
export async function forEachYielding<Item>(
  timing: Pick<Timing, 'immediate'>,
  items: Iterable<Item>,
  act: (item: Item) => void,
): Promise<void> {
  let beganMs = performance.now();
  for (const item of items) {
    act(item);
    if (performance.now() - beganMs < MAX_MS_AT_ONCE) continue;
    await timing.immediate();
    beganMs = performance.now();
  }
}
