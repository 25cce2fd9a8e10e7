import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { historyOf, SnapshotName } from '../../src/snapshot/snapshot-name.js';
import { ASSETS, assetBody, publish } from '../support/assets.js';
import { databases, embedded } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { patiently } from '../support/patience.js';
import { type Reply, TestRegistry } from '../support/registry.js';

const LET_IN = 128;
/** More than are let in at once, and few more: on a busy machine they shall all have come within the two seconds and a half below. */
const WRITES = LET_IN + 12;
const READS = 100;

describe.each(databases.filter(({ name }) => name !== 'SQLite'))('more than $name can take', (kind) => {
  it('is 503 after five seconds for those who are not let in, while reads go on, and the others are kept', async () => {
    const registry = await TestRegistry.start(kind);
    const { id } = await publish(registry);
    const other = await createConnection(registry.databaseUrl);
    const write = (): Promise<Reply> => registry.send(ASSETS, { method: 'POST', key: 'broker', body: assetBody() });
    const read = (): Promise<Reply> => registry.send(`${ASSETS}/${id}`);
    const crowd = async () => {
      await patiently(read);
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
    // The machine may stand still until the database is taken for away, or for the two seconds and a half that those who were let in have left.
    const isHeldUp = ({ meanwhile, first, kept }: Seen): boolean =>
      meanwhile.status === 503 || !first.text.includes('waiting') || kept < LET_IN;
    let [seen, triesLeft] = [await crowd(), 5];
    while (isHeldUp(seen) && triesLeft-- > 0) seen = await crowd();
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
  it('keep nobody out who reads something else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'snapshots-'));
    const registry = await TestRegistry.start(kind, { SNAPSHOT_FOLDER: folder });
    await publish(registry);
    const epoch = (await registry.send(ASSETS)).headers.get('feed-epoch') ?? '';
    // Another process makes one, which takes longer than anybody waits.
    const other = spawn('sleep', ['600']);
    const { part } = SnapshotName.next(historyOf(epoch, 'Europe/Kyiv'), 1, 'jsonl');
    await writeFile(join(folder, part.replace(`-${process.pid}-`, `-${other.pid}-`)), '');
    const crowd = async (): Promise<{ status: number; refused: number }> => {
      let refused = 0;
      const waiting = Array.from({ length: READS }, async () => {
        const answer = await registry.send(`${ASSETS}/snapshot.jsonl.gz`);
        refused++;
        return answer;
      });
      // They come in before it on their connections.
      await sleep(500);
      const seen = { status: (await registry.send(ASSETS)).status, refused };
      for (const answer of await Promise.all(waiting)) expectError(answer, 503, 'header', 'server');
      return seen;
    };
    // The database may stand still for as long as they wait.
    let [seen, triesLeft] = [await crowd(), 2];
    while ((seen.status === 503 || seen.refused > 0) && triesLeft-- > 0) seen = await crowd();
    // Otherwise it would have waited for the first of them to go.
    expect(seen).toEqual({ status: 200, refused: 0 });
    other.kill();
    await registry.stop();
    await rm(folder, { recursive: true });
  });
});
