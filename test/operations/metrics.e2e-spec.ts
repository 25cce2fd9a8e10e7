import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { newLogKey } from '../../src/log/log-keys.js';
import { VERSION } from '../../src/platform/config/version.js';
import { ASSETS, assetBody, create, publish, read } from '../support/assets.js';
import { databases, embedded } from '../support/databases.js';
import { metricsOf, requestsOf } from '../support/metrics.js';
import { basic, TestRegistry } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { until } from '../support/until.js';

const servers = databases.filter(({ name }) => name !== 'SQLite');
const BUILD = `registry_build_info{version="${VERSION}",node="${process.versions.node}"}`;

describe.each(embedded)('the metrics on $name', (kind) => {
  const registry = servedRegistry(kind, {
    METRICS_PORT: '0',
    LOG_KEY: newLogKey('registry.example/log'),
    RATE_LIMIT: '1',
    RATE_LIMIT_READS: '1000/1000',
    RATE_LIMIT_WRITES: '1000/1000',
    RATE_LIMIT_REFUSED_KEYS: '0.001/1',
  });
  const metrics = (): Promise<Map<string, number>> => metricsOf(registry.metricsUrl);

  it('count requests by method, route template and status', async () => {
    const owned = await create(registry);
    await read(registry, owned);
    await read(registry, { id: 'f'.repeat(32) });
    const counted = await metrics();
    expect(requestsOf(counted, 'POST', '/api/0.1/assets', 201)).toBe(1);
    expect(requestsOf(counted, 'GET', '/api/0.1/assets/:id', 200)).toBe(1);
    expect(requestsOf(counted, 'GET', '/api/0.1/assets/:id', 404)).toBe(1);
    expect([...counted.keys()].filter((line) => line.includes(owned.id))).toEqual([]);
  });

  it('have one label for whatever has no route, and for methods that clients invent', async () => {
    const before = (await metrics()).size;
    for (const path of ['/nowhere', '/api/0.1/nothing', '/api/0.1/assets/%zz']) await registry.send(path);
    for (const method of ['PROPFIND', 'PURGE', 'LOCK']) await registry.send('/nowhere', { method });
    const counted = await metrics();
    expect(requestsOf(counted, 'GET', 'none', 404)).toBe(2);
    expect(requestsOf(counted, 'GET', 'none', 400)).toBe(1);
    expect(requestsOf(counted, 'other', 'none', 404)).toBe(3);
    const series = [...counted.keys()].filter((line) =>
      line.startsWith('registry_http_request_duration_seconds_count'),
    );
    expect(counted.size - before).toBeLessThan(4 * 16);
    expect(series.filter((line) => line.includes('"none"'))).toHaveLength(3);
  });

  it('count a request whose client disconnected as aborted, and not as a 200', async () => {
    const { hostname, port } = new URL(registry.url);
    const body = 'Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{';
    const socket = connect(Number(port), hostname);
    socket.write(`POST ${ASSETS} HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic('broker')}\r\n${body}`);
    const isCounted = async (line: string): Promise<boolean> => (await metrics()).has(line);
    await until(async () => (await metrics()).get('registry_http_requests_in_flight') === 1);
    socket.destroy();
    const line =
      'registry_http_request_duration_seconds_count{method="POST",route="/api/0.1/assets",status="broken off"}';
    await until(() => isCounted(line));
  });

  it('count no request as in flight when there is none', async () => {
    expect((await metrics()).get('registry_http_requests_in_flight')).toBe(0);
  });

  it('count every batch', async () => {
    const before = await metrics();
    await Promise.all(Array.from({ length: 8 }, () => publish(registry)));
    const after = await metrics();
    const grown = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    expect(grown('registry_ledger_batch_changes_sum')).toBe(16);
    const batches = grown('registry_ledger_batch_changes_count');
    expect(batches).toBeGreaterThan(0);
    expect(batches).toBeLessThanOrEqual(16);
    for (const what of ['batch', 'clock_wait', 'clock_held', 'commit']) {
      expect(grown(`registry_ledger_${what}_seconds_count`)).toBe(batches);
      expect(grown(`registry_ledger_${what}_seconds_sum`)).toBeGreaterThan(0);
    }
    expect(after.get('registry_ledger_queue_changes')).toBe(0);
  });

  it('show the newest instant of the feed, and that the database is reachable', async () => {
    const { asset } = await publish(registry);
    const counted = await metrics();
    const clock = counted.get('registry_feed_clock_seconds') as number;
    expect(clock * 1_000).toBeCloseTo(Date.parse(asset.dateModified), -1);
    expect(counted.get('registry_database_up')).toBe(1);
    expect(counted.get('registry_clock_step_seconds')).toBe(0);
  });

  it('show the size of the log', async () => {
    await publish(registry);
    await until(async () => {
      const counted = await metrics();
      const [log = 0, feed = 0] = ['transparency_log', 'feed'].map((name) =>
        counted.get(`registry_${name}_clock_seconds`),
      );
      return log >= feed && (counted.get('registry_transparency_log_entries') ?? 0) > 0;
    });
  });

  it('count refusals by limit', async () => {
    for (let i = 0; i < 3; i++) await registry.send(ASSETS, { method: 'POST', key: 'unknown', body: assetBody() });
    expect((await metrics()).get('registry_rate_limit_refusals_total{limit="keys"}')).toBe(2);
  });

  it('show the versions of the service and of Node', async () => {
    expect((await metrics()).get(BUILD)).toBe(1);
  });

  it('are on a separate port', async () => {
    expect((await registry.send('/metrics')).status).toBe(404);
    expect(new URL(registry.metricsUrl as string).port).not.toBe(new URL(registry.url).port);
  });
});

describe.each(servers)('the metrics of the connections to $name', (kind) => {
  it('count each side', async () => {
    await TestRegistry.during(kind, { METRICS_PORT: '0' }, async (registry) => {
      await publish(registry);
      let counted = new Map<string, number>();
      const of = (what: string, side: string): number | undefined =>
        counted.get(`registry_database_connections_${what}{side="${side}"}`);
      // The service itself uses one now and then.
      await until(async () => {
        counted = await metricsOf(registry.metricsUrl);
        return ['writer', 'reader'].every((side) => of('in_use', side) === 0 && of('waiting', side) === 0);
      });
    });
  });
});

describe.each(servers)('the metrics of reads on $name', (kind) => {
  const waits = kind.name === 'MariaDB';
  it(`count waits for a read point, which ${waits ? 'one read needs' : 'no read needs'}`, async () => {
    await TestRegistry.during(kind, { METRICS_PORT: '0' }, async (registry) => {
      const other = await TestRegistry.startOn(registry.databaseUrl);
      await publish(other);
      // It cannot know that the other's change is settled.
      await registry.send(ASSETS);
      expect((await metricsOf(registry.metricsUrl)).get('registry_read_point_wait_seconds_count')).toBe(Number(waits));
      await other.close();
    });
  });
});

describe.each(embedded)('without METRICS_PORT, on $name', (kind) => {
  it('there are no metrics', async () => {
    await TestRegistry.during(kind, {}, (registry) => {
      expect(registry.metricsUrl).toBeUndefined();
      return Promise.resolve();
    });
  });
});
