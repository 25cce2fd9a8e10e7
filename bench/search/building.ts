import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { Agent, request } from 'undici';
import { ASSETS } from '../../test/support/assets.js';
import { Random } from '../../test/support/random.js';
import { quantile } from '../../test/reliability/quantile.js';
import type { DatabaseName } from '../databases.js';
import { type DataSet, SEED } from '../data-set/data-set.js';

/** Between two requests: what one client after the other asks for, whatever the answers take. */
const PACE_MS = 5;
/** Requests between two looks at whether it is over. */
const LOOK_EVERY = 40;

/** Where the index of a data set is kept. */
export function indexIn(folder: string, database: DatabaseName, size: number): string {
  return join(folder, `search-${database}-${size}.sqlite`);
}

/** Reads assets at an even pace. @returns how long each answer took, in milliseconds */
export async function askWhile(url: string, dataSet: DataSet, isWanted: () => boolean): Promise<number[]> {
  const dispatcher = new Agent({ connections: 32 });
  const random = new Random(SEED);
  const taken: Promise<number>[] = [];
  const began = performance.now();
  while (taken.length % LOOK_EVERY !== 0 || isWanted()) {
    // An answer that is late must not keep the next request from coming.
    const due = began + taken.length * PACE_MS;
    await sleep(Math.max(0, due - performance.now()));
    taken.push(timed(url, dataSet.idOf(random.int(0, dataSet.size - 1)), dispatcher));
  }
  const times = await Promise.all(taken);
  await dispatcher.close();
  return times;
}

async function timed(url: string, id: string, dispatcher: Agent): Promise<number> {
  const began = performance.now();
  const { statusCode, body } = await request(`${url}${ASSETS}/${id}`, { dispatcher });
  await body.text();
  if (statusCode !== 200) throw new Error(`GET answered ${statusCode}`);
  return performance.now() - began;
}

/** Up to where an index has followed the feed, in microseconds. */
export function positionOf(index: string): number {
  if (!existsSync(index)) return -1;
  const database = new Sqlite(index, { readonly: true, timeout: 100 });
  try {
    return Number(database.prepare('SELECT us FROM state').pluck().get());
  } catch {
    // Its tables are not there yet.
    return -1;
  } finally {
    database.close();
  }
}

export function told(ms: readonly number[]): string {
  const [median, p99, most] = [0.5, 0.99, 1].map((share) => quantile(ms, share).toFixed(2));
  return `${ms.length} answers, p50 ${median} ms, p99 ${p99} ms, max ${most} ms`;
}
