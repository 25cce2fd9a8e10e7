import { describe, expect, it, jest } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { unavailable } from '../../src/platform/errors/errors.js';
import { WholeFeed } from '../../src/feed/reading/whole-feed.js';
import { SnapshotWriter } from '../../src/listing/snapshot/snapshot-writer.js';
import { ASSETS, assetBody, publish } from '../support/assets.js';
import { databases, embedded } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { loadServiceHere } from '../support/loaded-service.js';
import { retryUnavailable } from '../support/retry-unavailable.js';
import { type Reply, TestRegistry } from '../support/registry.js';
import { until } from '../support/until.js';

loadServiceHere();

const LET_IN = 128;
/** Slightly more than are admitted at once, so that all arrive within the 2.5 seconds below on a busy machine. */
const WRITES = LET_IN + 12;
const READS = 100;

describe.each(databases.filter(({ name }) => name !== 'SQLite'))('more than $name can take', (kind) => {
  it('is 503 after five seconds for writes that were not admitted, while reads work, and admitted writes succeed', async () => {
    const registry = await TestRegistry.start(kind);
    const { id } = await publish(registry);
    const other = await createConnection(registry.databaseUrl);
    const write = (): Promise<Reply> => registry.send(ASSETS, { method: 'POST', key: 'broker', body: assetBody() });
    const read = (): Promise<Reply> => registry.send(`${ASSETS}/${id}`);
    const crowd = async () => {
      await retryUnavailable(read);
      await other.beginTransaction();
      await other.query('SELECT last_us FROM feed_clock FOR UPDATE');
      const began = performance.now();
      const writes = Array.from({ length: WRITES }, write);
      const meanwhile = await read();
      const first = await Promise.race(writes);
      const tookMs = performance.now() - began;
      await other.rollback();
      const statuses = (await Promise.all(writes)).map(({ status }) => status);
      for (const status of statuses) expect([201, 503]).toContain(status);
      return { meanwhile, first, tookMs, kept: statuses.filter((status) => status === 201).length };
    };
    type Seen = Awaited<ReturnType<typeof crowd>>;
    // The machine may stall until the database counts as away, or for the 2.5 seconds that admitted requests have left.
    const isLockTimeout = ({ meanwhile, first, kept }: Seen): boolean =>
      meanwhile.status === 503 || !first.text.includes('waiting') || kept < LET_IN;
    let [seen, triesLeft] = [await crowd(), 5];
    while (isLockTimeout(seen) && triesLeft-- > 0) seen = await crowd();
    expect(seen.meanwhile.status).toBe(200);
    expectError(seen.first, 503, 'header', 'server');
    expect(seen.first.text).toContain('waiting');
    expect(seen.first.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(seen.tookMs).toBeGreaterThan(4_900);
    expect(seen.kept).toBeGreaterThanOrEqual(LET_IN);
    await other.end();
    await registry.stop();
  });
});

describe.each(embedded)('more than $name lets in that wait for a snapshot', (kind) => {
  it('do not block other reads', async () => {
    const registry = await TestRegistry.start(kind);
    await publish(registry);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const begin = jest.spyOn(SnapshotWriter.prototype, 'begin').mockImplementation(async () => {
      await released;
      throw unavailable('snapshot_failed');
    });
    const position = jest.spyOn(WholeFeed.prototype, 'position');
    const waiting = Array.from({ length: READS }, () => registry.send(`${ASSETS}/snapshot.jsonl.gz`));
    await until(() => position.mock.calls.length === READS);
    // Otherwise it would have to wait for the first of them to go.
    expect((await registry.send(ASSETS)).status).toBe(200);
    release();
    for (const answer of await Promise.all(waiting)) expectError(answer, 503, 'header', 'server');
    begin.mockRestore();
    position.mockRestore();
    await registry.stop();
  });
});
