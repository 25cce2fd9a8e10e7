import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { metricsOf, requestsOf } from '../support/metrics.js';
import { migrate } from '../support/migrated.js';
import { patiently } from '../support/patience.js';
import { runService, ServiceProcess } from '../support/process.js';
import { basic, zoneAtNoon } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { until } from '../support/until.js';

const ASSETS_MADE = 60;

const servers = databases.filter(({ name }) => name !== 'SQLite');

/** The process ids in the lines of the log that say so, oldest first. */
function workersThat(service: ServiceProcess, what: string): number[] {
  const lines = service.output().split('\n');
  return lines.filter((line) => line.includes(what)).map((line) => Number(/"worker":(\d+)/.exec(line)?.[1]));
}
const workersOf = (service: ServiceProcess): number[] => workersThat(service, 'a worker has begun');
const writerOf = (service: ServiceProcess): number => workersThat(service, 'this worker writes for all').at(-1) ?? 0;

/** On a connection of its own, so that each may reach another worker. */
async function publish(url: string, title = 'An asset'): Promise<string> {
  const headers = { Authorization: basic('broker'), 'Content-Type': 'application/json', Connection: 'close' };
  const created = await fetch(url + ASSETS, { method: 'POST', headers, body: JSON.stringify(assetBody({ title })) });
  const { data, access } = (await created.json()) as { data: { id: string }; access: { token: string } };
  const published = await patiently(() =>
    fetch(`${url}${ASSETS}/${data.id}`, {
      method: 'PATCH',
      headers: { ...headers, 'X-Access-Token': access.token },
      body: '{"data":{"status":"pending"}}',
    }),
  );
  if (published.status !== 200) throw new Error(`PATCH answered ${published.status}`);
  return data.id;
}

async function listedIds(url: string): Promise<string[]> {
  const response = await fetch(`${url}${ASSETS}?limit=1000`, { headers: { Connection: 'close' } });
  return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
}

describe.each(servers)('two workers on $name', (kind) => {
  let database: TestDatabase;
  let service: ServiceProcess;
  const made: string[] = [];

  beforeAll(async () => {
    database = await kind.create();
    await migrate(database.url);
    const env = { DATABASE_URL: database.url, WORKERS: '2', LOG_LEVEL: 'info', TIME_ZONE: zoneAtNoon() };
    service = await ServiceProcess.start({ ...env, METRICS_PORT: '0' });
  });
  afterAll(() => database?.drop());

  it('show one feed, which has every change in it, and count together', async () => {
    made.push(...(await Promise.all(Array.from({ length: ASSETS_MADE }, () => publish(service.url)))));
    const ids = await listedIds(service.url);
    expect(new Set(ids)).toEqual(new Set(made));
    expect(await listedIds(service.url)).toEqual(ids);
    const counted = await metricsOf(/http:[^"]*\/metrics/.exec(service.output())?.[0]);
    expect(requestsOf(counted, 'POST', '/api/0.1/assets', 201)).toBe(ASSETS_MADE);
  });

  it('have one that writes for all, and go on without it when it is killed: nothing is lost, nothing made twice', async () => {
    const titles = Array.from({ length: ASSETS_MADE }, (_, i) => `made while one is killed, ${i}`);
    const asked = titles.map((title) => publish(service.url, title).catch(() => undefined));
    await Promise.race(asked);
    process.kill(writerOf(service), 'SIGKILL');
    const published = await Promise.all(asked);
    made.push(...published.filter((id) => id !== undefined));
    await until(() => workersOf(service).length > 2);
    made.push(await publish(service.url));
    expect(await listedIds(service.url)).toEqual(expect.arrayContaining(made));
    const sql = "SELECT JSON_VALUE(body, '$.title') AS title FROM asset WHERE body LIKE '%while one is killed%'";
    const kept = (await runSql({ databaseUrl: database.url }, sql)) as { title: string }[];
    expect(new Set(kept.map(({ title }) => title)).size).toBe(kept.length);
    expect(workersOf(service)).toContain(writerOf(service));
  });

  it('all end with 0 on SIGTERM', async () => {
    expect((await service.kill('SIGTERM')).code).toBe(0);
    for (const worker of workersOf(service)) expect(() => process.kill(worker, 0)).toThrow('ESRCH');
  });
});

it('workers on SQLite are refused', async () => {
  const { code, output } = await runService({ WORKERS: '2' });
  expect(code).toBe(1);
  expect(output).toMatch(/WORKERS is 1 on SQLite/);
});
