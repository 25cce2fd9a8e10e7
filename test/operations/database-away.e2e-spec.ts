import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createApp, type Registry } from '../../src/app.js';
import { createDataSource, databaseParts, dataSourceOptions } from '../../src/database/connections/data-sources.js';
import { type Hosts, openSocket } from '../../src/database/connections/hosts.js';
import { ASSETS, assetBody, change, type Owned, publish } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { loadServiceHere } from '../support/loaded-service.js';
import { migrate } from '../support/migrated.js';
import { ServiceProcess } from '../support/process.js';
import { type Reply, sendTo, TestRegistry, testConfig } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';

loadServiceHere();

const servers = databases.filter(({ name }) => name !== 'SQLite');
/* Alone these take 7.5 s, 50 ms and less than a second; here other tests run at the same time. Without a deadline they never end. */
const LONGEST_MS = 30_000;
const AT_ONCE_MS = 1_000;
const USED_AGAIN_MS = 10_000;

/** Asks again until the answer is another one. */
function untilAnswered(registry: TestRegistry, path: string, status: number): Promise<void> {
  return until(async () => (await registry.send(path)).status === status);
}

describe.each(servers)('when $name is away', (kind) => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let registry: TestRegistry;

  beforeAll(async () => {
    database = await kind.create();
    await migrate(database.url);
    proxy = new TcpProxy(new URL(database.url));
    const url = await proxy.open();
    await proxy.close();
    registry = await TestRegistry.startOn(url);
  });
  afterAll(async () => {
    await registry?.stop();
    await proxy?.close();
    await database?.drop();
  });

  it('at start, the service listens and answers reads and writes with 503 and Retry-After', async () => {
    const one = `${ASSETS}/${'0'.repeat(32)}`;
    const replies = [
      await registry.send(ASSETS),
      await registry.send(one),
      await registry.send(ASSETS, { method: 'POST', key: 'broker', body: assetBody() }),
      await registry.send(one, { method: 'PATCH', key: 'broker', body: assetBody() }),
      await registry.send('/health/ready'),
    ];
    for (const reply of replies) {
      expectError(reply, 503, 'header', 'server');
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  it('the process is still alive', async () => {
    expect((await registry.send('/health/live')).status).toBe(200);
  });

  it('and when it is back, requests are served without a restart', async () => {
    await proxy.open();
    await untilAnswered(registry, '/health/ready', 200);
    expect((await publish(registry)).asset.status).toBe('pending');
  });
});

describe.each(servers)('the log of a service that starts while $name is away', (kind) => {
  it('logs one warning, and one line when it is back, and none for health checks', async () => {
    const database = await kind.create();
    await migrate(database.url);
    const proxy = new TcpProxy(new URL(database.url));
    const url = await proxy.open();
    await proxy.close();
    let attempts = 0;
    const broken = createServer((socket) => void (attempts++, socket.destroy())).listen(Number(new URL(url).port));
    const service = await ServiceProcess.start({ DATABASE_URL: url, LOG_LEVEL: 'info' });
    const ready = (): Promise<Reply> => sendTo(service.url, '/health/ready');
    const sentence = 'database: is away: the connection breaks';
    await until(async () => {
      expectError(await ready(), 503, 'header', 'server', sentence);
      return attempts >= 4;
    });
    broken.close();
    await proxy.open();
    await until(async () => (await ready()).status === 200);
    await service.kill('SIGTERM');
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    expect(lines.map((line) => JSON.parse(line) as { msg?: string })).toEqual([
      expect.objectContaining({ level: 40, msg: 'the database is away', reason: 'the connection breaks' }),
      expect.objectContaining({ level: 30, msg: 'the database is in use' }),
      expect.objectContaining({ msg: 'draining' }),
    ]);
    await proxy.close();
    await database.drop();
  });
});

describe.each(servers)('when COMMIT is not answered by $name', (kind) => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let registry: TestRegistry;

  beforeAll(async () => {
    database = await kind.create();
    await migrate(database.url);
    proxy = new TcpProxy(new URL(database.url));
    registry = await TestRegistry.startOn(await proxy.open());
    await publish(registry);
  });
  afterAll(async () => {
    await registry?.stop();
    await proxy?.close();
    await database?.drop();
  });

  it.each(['drop the answer to COMMIT', 'drop COMMIT'] as const)(
    '(%s) a create is answered 201 and made once',
    async (how) => {
      proxy.interference = how;
      const { asset } = await publish(registry, { title: how });
      expect(proxy.interference).toBe('none');
      expect((await registry.send(`${ASSETS}/${asset.id}`)).json.data).toEqual(asset);
      const { json } = await registry.send(`${ASSETS}?opt_fields=title`);
      expect(json.data.filter(({ title }: { title: string }) => title === how)).toHaveLength(1);
    },
  );
});

describe.each(servers)('while $name is frozen', (kind) => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let registry: TestRegistry;
  let owned: Owned;

  const timed = async (request: Promise<Reply>): Promise<{ reply: Reply; ms: number }> => {
    const began = performance.now();
    return { reply: await request, ms: performance.now() - began };
  };
  const requests = (): Promise<Reply>[] => [
    registry.send(ASSETS),
    registry.send(`${ASSETS}/${owned.id}`),
    registry.send(ASSETS, { method: 'POST', key: 'broker', body: assetBody() }),
    change(registry, owned, { title: 'while frozen' }),
  ];

  beforeAll(async () => {
    database = await kind.create();
    await migrate(database.url);
    proxy = new TcpProxy(new URL(database.url));
    registry = await TestRegistry.startOn(await proxy.open());
    owned = await publish(registry);
    await untilAnswered(registry, '/health/ready', 200);
    proxy.freeze();
  });
  afterAll(async () => {
    await registry?.stop();
    await proxy?.close();
    await database?.drop();
  });

  it('no request takes longer than the deadline', async () => {
    for (const { reply, ms } of await Promise.all(requests().map(timed))) {
      expectError(reply, 503, 'header', 'server');
      expect(ms).toBeLessThan(LONGEST_MS);
    }
  });

  it('and once it is known, each is 503 at once', async () => {
    const times: number[] = [];
    for (let i = 0; i < 10; i++) {
      for (const { reply, ms } of await Promise.all(requests().map(timed))) {
        expectError(reply, 503, 'header', 'server');
        expect(reply.headers.get('retry-after')).toMatch(/^\d+$/);
        times.push(ms);
      }
    }
    // The median, as the machine may be busy with other tests.
    expect(times.toSorted((a, b) => a - b)[times.length / 2]).toBeLessThan(AT_ONCE_MS);
  });

  it('and thawed, it is soon used again', async () => {
    proxy.thaw();
    const began = performance.now();
    await untilAnswered(registry, ASSETS, 200);
    expect(performance.now() - began).toBeLessThan(USED_AGAIN_MS);
    expect((await publish(registry)).asset.status).toBe('pending');
  });
});

describe.each(servers)('a first connection to $name', (kind) => {
  it('is tried again after a time-out, as after a pause of the whole machine', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const database = await kind.create();
    const hosts = databaseParts(database.url).monitor?.hosts as Hosts;
    const dataSource = createDataSource(await dataSourceOptions(database.url, 'writer', hosts));
    const connect = jest.spyOn(hosts, 'connect').mockImplementationOnce(() => openSocket({ host: '127.0.0.1', port }));
    await dataSource.initialize();
    expect(connect).toHaveBeenCalledTimes(2);
    await dataSource.destroy();
    await database.drop();
    silent.close();
  });
});

describe('a start that must not succeed', () => {
  const starting = (databaseUrl: string, env = {}): Promise<Registry> => createApp(testConfig(databaseUrl, env));

  it.each(servers)('on $name, with a wrong password, names DATABASE_URL and not the password', async (kind) => {
    const database = await kind.create();
    const url = new URL(database.url);
    url.password = 'not-the-password';
    await expect(starting(url.href)).rejects.toThrow(/^(?!.*not-the-password).*DATABASE_URL/);
    await database.drop();
  });

  it.each(databases)('on $name, with a clock behind the newest asset, reports that', async (kind) => {
    const registry = await TestRegistry.start(kind);
    await publish(registry);
    await runSql(registry, 'UPDATE feed_clock SET last_us = last_us - 1');
    await registry.close();
    await expect(starting(registry.databaseUrl)).rejects.toThrow(/clock.* is behind/);
    await registry.drop();
  });
});
