import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 200;

/**
 * Repeats a request while it is answered 503, as clients do: on a busy machine the database or the writing worker may stall for seconds.
 * @param isExpected whether a 503 was expected, for a request sent at this `performance.now()`
 */
export async function retryUnavailable<Answer extends { status: number }>(
  ask: () => Promise<Answer>,
  isExpected: (askedMs: number) => boolean = () => true,
): Promise<Answer> {
  for (;;) {
    const askedMs = performance.now();
    const reply = await ask();
    if (reply.status !== 503 || !isExpected(askedMs)) return reply;
    await sleep(PAUSE_MS);
  }
}
