import { setTimeout as sleep } from 'node:timers/promises';
import type { Reply } from './registry.js';

const PAUSE_MS = 200;

/** Asks as clients do, again as long as the answer is 503: where a machine holds up the database for three seconds, that is right. */
export async function patiently(ask: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await ask();
    if (reply.status !== 503) return reply;
    await sleep(PAUSE_MS);
  }
}
