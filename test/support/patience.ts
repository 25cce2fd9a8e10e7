import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 200;

/**
 * Asks as clients do, again as long as the answer is 503: where a machine holds up the database, or the worker that writes, for seconds, that is right.
 * @param isRight whether it is, by when it was asked, as `performance.now()` tells it
 */
export async function patiently<Answer extends { status: number }>(
  ask: () => Promise<Answer>,
  isRight: (askedMs: number) => boolean = () => true,
): Promise<Answer> {
  for (;;) {
    const askedMs = performance.now();
    const reply = await ask();
    if (reply.status !== 503 || !isRight(askedMs)) return reply;
    await sleep(PAUSE_MS);
  }
}
