import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';

const LOOK_MS = 50;
/** Much longer than a ping takes, but shorter than a read waits for the database. */
const LONG_MS = 1_000;
/** A registry uses the server again within this time. */
const AFTERWARDS_MS = 3_000;

let answeredMs = Infinity;
let stillUntilMs = -Infinity;

/** See standstill.ts. */
export async function lookForStandstills(signal: AbortSignal): Promise<void> {
  const connection = await createConnection(process.env['TEST_SERVER_URL'] as string);
  connection.on('error', () => undefined);
  // A server that stalls until the end never answers the last ping.
  const over = once(signal, 'abort');
  try {
    for (answeredMs = performance.now(); ; await sleep(LOOK_MS, undefined, { signal })) {
      await Promise.race([connection.ping(), over]);
      if (standsStill()) stillUntilMs = performance.now();
      answeredMs = performance.now();
    }
  } catch {
    // Either the watch has ended or the server has exited: no statement about stalls.
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
