import type { Timing } from '../clock/wall-clock.js';

/** How long the event loop is held at once: a read waits for several such turns. */
const HELD_MS = 0.25;

/** Calls `act` for each item in order, and gives the event loop back every 0.25 ms. @throws what `act` throws: later items are left out */
export async function spread<Item>(
  timing: Pick<Timing, 'turn'>,
  items: Iterable<Item>,
  act: (item: Item) => void,
): Promise<void> {
  let since = performance.now();
  for (const item of items) {
    act(item);
    if (performance.now() - since < HELD_MS) continue;
    await timing.turn();
    since = performance.now();
  }
}
