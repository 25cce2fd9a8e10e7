import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { VERSION } from '../../src/config/version.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { expectError, faultsOf } from '../support/errors.js';
import { migrate } from '../support/migrated.js';
import { readiness } from '../support/readiness.js';
import { type Reply, TestRegistry } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';

const servers = databases.filter(({ name }) => name !== 'SQLite');
/** Of a machine that has other tests to run beside. It waits 0.8 s for the database, which it would do for 3 s and more without a limit. */
const SOON_MS = 2_900;
const ROUNDS = 5;

const ready = (registry: TestRegistry): Promise<Reply> => registry.send('/health/ready');

/** What it says once its answer is a new one. */
async function readyWith(registry: TestRegistry, status: number): Promise<Reply> {
  let reply: Reply | undefined;
  await until(async () => (reply = await readiness(registry)).status === status);
  return reply as Reply;
}

const descriptions = (reply: Reply): string[] => faultsOf(reply, 503).map(({ description }) => description);

describe.each(databases)('health on $name', (kind) => {
  let registry: TestRegistry;

  beforeAll(async () => {
    registry = await TestRegistry.start(kind);
  });
  afterAll(() => registry?.stop());

  it.each(['/health/live', '/health/ready'])('says with OPTIONS what %s takes', async (path) => {
    const { status, headers } = await registry.send(path, { method: 'OPTIONS' });
    expect([status, headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
  });

  it('is ready, and says so of each part', async () => {
    const { status, json } = await readiness(registry);
    expect(status).toBe(200);
    expect(json).toEqual({
      status: expect.stringMatching(/^(?:ok|degraded)$/),
      version: VERSION,
      parts: {
        database: kind.name,
        schema: 'ok',
        settings: 'ok',
        durability: expect.stringMatching(/strict/),
        writes: 'ok',
        clock: 'ok',
        // A server's disk is not ours to see.
        ...(kind.name === 'SQLite' && { disk: expect.any(String) }),
      },
    });
  });

  it('is not ready on a schema that is behind, and is again when it is not', async () => {
    const [last] = (await runSql(registry, 'SELECT name FROM migrations ORDER BY id DESC LIMIT 1')) as {
      name: string;
    }[];
    const name = last?.name;
    await runSql(registry, 'UPDATE migrations SET name = ? WHERE name = ?', ['Away', name]);
    const reply = await readyWith(registry, 503);
    expectError(reply, 503, 'header', 'server', expect.stringMatching(/^schema: .*registry migrate/));
    expect(reply.headers.get('retry-after')).toMatch(/^\d+$/);
    await runSql(registry, 'UPDATE migrations SET name = ? WHERE name = ?', [name, 'Away']);
    expect((await readyWith(registry, 200)).status).toBe(200);
  });

  it('is alive whatever is ready', async () => {
    expect((await registry.send('/health/live')).text).toBe(`{"status":"ok","version":"${VERSION}"}`);
  });
});

describe.each(servers)('readiness on $name', (kind) => {
  it('has an entry for each part that fails', async () => {
    const registry = await TestRegistry.start(kind);
    await runSql(registry, 'DELETE FROM migrations');
    await runSql(registry, `ALTER DATABASE ${new URL(registry.databaseUrl).pathname.slice(1)} CHARACTER SET latin1`);
    const told = descriptions(await readyWith(registry, 503));
    expect(told).toEqual([
      expect.stringMatching(/^schema: /),
      expect.stringMatching(/^settings: character_set_database is latin1/),
    ]);
    await registry.stop();
  });
});

describe.each(servers)('readiness while $name does not answer', (kind) => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let registry: TestRegistry;

  beforeAll(async () => {
    database = await kind.create();
    await migrate(database.url);
    proxy = new TcpProxy(new URL(database.url));
    registry = await TestRegistry.startOn(await proxy.open());
    await readyWith(registry, 200);
    proxy.freeze();
  });
  afterAll(async () => {
    proxy?.thaw();
    await registry?.stop();
    await proxy?.close();
    await database?.drop();
  });

  it('is answered soon, again and again', async () => {
    const answers: Reply[] = [];
    const took: number[] = [];
    while (took.length < ROUNDS) {
      const began = performance.now();
      const both = await Promise.all([ready(registry), ready(registry)]);
      const ms = performance.now() - began;
      // What was told before the freeze may be told once more, perhaps to one of the two.
      if (both.every(({ status }) => status !== 200)) {
        took.push(ms);
        answers.push(...both);
      }
      await new Promise((resolve) => void setTimeout(resolve, 300));
    }
    // The median, as the machine may be busy with other tests.
    expect(took.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]).toBeLessThan(SOON_MS);
    for (const answer of answers) {
      expectError(answer, 503, 'header', 'server', expect.stringMatching(/^database: (?:does not answer|is away)/));
    }
  });

  it('says that it is away once that is known, and is ready when it is back', async () => {
    let told: string[] = [];
    await until(async () => (told = descriptions(await ready(registry))).join().includes('is away'));
    expect(told).toEqual(['database: is away: it does not answer in time']);
    proxy.thaw();
    expect((await readyWith(registry, 200)).status).toBe(200);
  });
});
