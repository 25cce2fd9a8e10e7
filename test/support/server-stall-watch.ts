import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';

const PING_PAUSE_MS = 50;
/** Much longer than a ping takes, but shorter than a read waits for the database. */
const STALL_MS = 1_000;
/** A registry uses the server again within this time. */
const RECOVERY_MS = 3_000;

let answeredMs = Infinity;
let stalledUntilMs = -Infinity;

/** See server-stalls.ts. */
export async function watchForStalls(signal: AbortSignal): Promise<void> {
  const connection = await createConnection(process.env['TEST_SERVER_URL'] as string);
  connection.on('error', () => undefined);
  // A server that stalls until the end never answers the last ping.
  const over = once(signal, 'abort');
  try {
    for (answeredMs = performance.now(); ; await sleep(PING_PAUSE_MS, undefined, { signal })) {
      await Promise.race([connection.ping(), over]);
      if (isStalled()) stalledUntilMs = performance.now();
      answeredMs = performance.now();
    }
  } catch {
    // Either the watch has ended or the server has exited: no statement about stalls.
    answeredMs = Infinity;
  } finally {
    connection.destroy();
  }
}

const isStalled = (): boolean => performance.now() - answeredMs > STALL_MS;

/** See server-stalls.ts. */
export function stalledSince(sinceMs: number): boolean {
  return isStalled() || stalledUntilMs > sinceMs - RECOVERY_MS;
}
