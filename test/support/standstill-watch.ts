import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';

const LOOK_MS = 50;
/** Much more than a look takes, and less than what a read waits for the database. */
const LONG_MS = 1_000;
/** By then a registry uses the server again. */
const AFTERWARDS_MS = 3_000;

let answeredMs = Infinity;
let stillUntilMs = -Infinity;

/** See standstill.ts. */
export async function lookForStandstills(signal: AbortSignal): Promise<void> {
  const connection = await createConnection(process.env['TEST_SERVER_URL'] as string);
  connection.on('error', () => undefined);
  // A server that stands still until the end never answers the last one.
  const over = once(signal, 'abort');
  try {
    for (answeredMs = performance.now(); ; await sleep(LOOK_MS, undefined, { signal })) {
      await Promise.race([connection.ping(), over]);
      if (standsStill()) stillUntilMs = performance.now();
      answeredMs = performance.now();
    }
  } catch {
    // It is over, or that server is gone: then nothing is known.
    answeredMs = Infinity;
  } finally {
    connection.destroy();
  }
}

const standsStill = (): boolean => performance.now() - answeredMs > LONG_MS;

/** See standstill.ts. */
export function stoodStill(sinceMs: number): boolean {
  return standsStill() || stillUntilMs > sinceMs - AFTERWARDS_MS;
}
