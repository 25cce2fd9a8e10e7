import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { LoadClient } from '../support/load-client.js';
import { metricsOf } from '../support/metrics.js';
import { ServiceProcess } from '../support/process.js';
import { migrate } from '../support/migrated.js';
import { basic, sendTo } from '../support/registry.js';

/*
 * How much memory a request takes and leaves to the garbage collector: nearly the same on every machine. V8 counts no bytes, but empties its
 * new space each time when that is full.
 */

/** Half of V8's new space: what is allocated between two collections. */
const SEMI_SPACE_BYTES = 16 * 1_024 * 1_024;
const KB = 1_024;
const CONNECTIONS = 16;
const WARM_UP = 1_000;
const MOST_ROUNDS = 3;
/** Between parts it is looked at the old generation, as it may be collected meanwhile. */
const PARTS = 8;

function creation(): string {
  const body = JSON.stringify(assetBody());
  const headers = `Host: a\r\nAuthorization: ${basic('broker')}\r\nContent-Type: application/json`;
  return `POST ${ASSETS} HTTP/1.1\r\n${headers}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

describe.each(databases)('what a request allocates, on $name', (kind) => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let metricsUrl: string | undefined;
  let id: string;

  beforeAll(async () => {
    database = await kind.create();
    await migrate(database.url);
    service = await ServiceProcess.start({ DATABASE_URL: database.url, METRICS_PORT: '0', LOG_LEVEL: 'info' });
    const reply = await sendTo(service.url, ASSETS, { method: 'POST', key: 'broker', body: assetBody() });
    id = reply.json.data.id;
  });
  afterAll(async () => {
    await service?.kill('SIGTERM');
    await database?.drop();
  });

  const metric = async (name: string): Promise<number> => {
    metricsUrl ??= /http:[^"]*\/metrics/.exec(service.output())?.[0];
    const metrics = await metricsOf(metricsUrl);
    return metrics.get(name) ?? 0;
  };
  const collections = (): Promise<number> => metric('nodejs_gc_duration_seconds_count{kind="minor"}');
  const oldBytes = (): Promise<number> => metric('nodejs_heap_space_size_used_bytes{space="old"}');
  const send = (request: string, count: number): Promise<void> =>
    new Promise((resolve, reject) => {
      let [sent, answered] = [0, 0];
      const next = (): string | undefined => (sent++ < count ? request : undefined);
      const note = (status: number): void => {
        if (status >= 300) reject(new Error(`It was answered ${status}`));
        if (++answered < count) return;
        for (const client of clients) client.stop();
        resolve();
      };
      const clients = Array.from(
        { length: CONNECTIONS },
        () => new LoadClient(new URL(service.url), next, note, reject),
      );
    });
  /** In bytes. */
  const allocated = async (request: string, count: number): Promise<number> => {
    const before = await collections();
    await send(request, count);
    return (((await collections()) - before) * SEMI_SPACE_BYTES) / count;
  };
  /** What is kept of a request that was answered, in bytes. */
  const left = async (request: string, count: number): Promise<number> => {
    let [more, before] = [0, await oldBytes()];
    for (let part = 0; part < PARTS; part++) {
      await send(request, count / PARTS);
      const now = await oldBytes();
      more += Math.max(0, now - before);
      before = now;
    }
    return more / count;
  };
  /** In one round at least: beside others that work, fewer writes come together, and each costs more. */
  const expectBelow = async (most: number, measure: typeof left, request: string, count: number): Promise<void> => {
    await send(request, WARM_UP);
    const rounds: number[] = [];
    while (rounds.length < MOST_ROUNDS && Math.min(...rounds) >= most) rounds.push(await measure(request, count));
    expect(Math.min(...rounds)).toBeLessThan(most);
  };

  it('is at most 48 KB for a read', async () => {
    await expectBelow(48 * KB, allocated, `GET ${ASSETS}/${id} HTTP/1.1\r\nHost: a\r\n\r\n`, 8_000);
  });

  it('is at most 120 KB for a creation', async () => {
    await expectBelow(120 * KB, allocated, creation(), 2_500);
  });

  it.each([
    [2, 'a read', 16_000, () => `GET ${ASSETS}/${id} HTTP/1.1\r\nHost: a\r\n\r\n`],
    [3, 'a creation', 4_000, creation],
  ])('and what it leaves to the old generation at most %d KB for %s', async (most, _, count, request) => {
    await expectBelow(most * KB, left, request(), count);
  });
});
