import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rename, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { ASSETS, assetBody } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { patiently } from '../support/patience.js';
import { othersOf } from '../support/process-list.js';
import { runService, ServiceProcess } from '../support/process.js';
import { basic, zoneAtNoon } from '../support/registry.js';
import { runSql } from '../support/rows.js';
import { until } from '../support/until.js';

const WORKERS = 2;
const ASSETS_MADE = 60;

const servers = databases.filter(({ name }) => name !== 'SQLite');

interface Handed {
  access: object;
  data: { id: string; owner: string };
}

/** The process ids of the workers that have begun, oldest first. */
function workersOf(service: ServiceProcess): number[] {
  const lines = service.output().split('\n');
  return lines
    .filter((line) => line.includes('a worker has begun'))
    .map((line) => Number(/"worker":(\d+)/.exec(line)?.[1]));
}

/** The process id of the worker that writes for all. */
function writerOf(service: ServiceProcess): number {
  const chosen = service
    .output()
    .split('\n')
    .findLast((line) => line.includes('this worker writes for all'));
  return Number(/"worker":(\d+)/.exec(chosen ?? '')?.[1]);
}

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

describe.each(servers)(`${WORKERS} workers on $name`, (kind) => {
  let database: TestDatabase;
  let env: Record<string, string>;
  let service: ServiceProcess;
  const made: string[] = [];

  beforeAll(async () => {
    database = await kind.create();
    env = { DATABASE_URL: database.url, WORKERS: String(WORKERS), LOG_LEVEL: 'info', TIME_ZONE: zoneAtNoon() };
    await migrate(database.url);
    service = await ServiceProcess.start(env);
  });
  afterAll(() => database?.drop());

  it('share the port, and each accepts the demo keys', async () => {
    expect(service.output()).toMatch(new RegExp(`listening on http:\\S+ with ${WORKERS} workers \\(version \\d`));
    expect(workersOf(service)).toHaveLength(WORKERS);
    const answering = (): Set<string | undefined> =>
      new Set(Array.from(service.output().matchAll(/"worker":(\d+)[^\n]*"status":201/g), ([, pid]) => pid));
    // Who is idle accepts: that may be two of them, and one alone while the others get no turn.
    do made.push(...(await Promise.all(Array.from({ length: ASSETS_MADE }, () => publish(service.url)))));
    while (answering().size < 2);
  });

  it('show one feed, which has every change in it', async () => {
    const ids = await listedIds(service.url);
    expect(new Set(ids)).toEqual(new Set(made));
    for (let i = 0; i < WORKERS; i++) expect(await listedIds(service.url)).toEqual(ids);
  });

  it('hand an asset over, whichever of them is asked', async () => {
    const send = async (
      path: string,
      key: string,
      body: object,
      more: Record<string, string> = {},
    ): Promise<{ status: number; json: Handed }> => {
      const headers = { Authorization: basic(key), 'Content-Type': 'application/json', Connection: 'close', ...more };
      const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: answer.status, json: (await answer.json()) as Handed };
    };
    const created = await send(ASSETS, 'broker', assetBody());
    const path = `${ASSETS}/${created.json.data.id}`;
    let [giver, taker, { access }] = ['broker', 'broker2', created.json];
    // On connections of their own, so that some of them reach the worker that writes for all, and some another.
    for (let i = 0; i < 10; i++) {
      const asked = await patiently(() => send(`${path}/transfer`, giver, { access }));
      const both = await Promise.all([1, 2].map(() => send(`${path}/ownership`, taker, { access: asked.json.access })));
      const [won, ...others] = both.filter(({ status }) => status === 200);
      expect([asked.status, won?.json.data.owner, others]).toEqual([201, taker, []]);
      access = (won as { json: Handed }).json.access;
      [giver, taker] = [taker, giver];
    }
    // With an Idempotency-Key all of them are answered the same.
    for (let i = 0; i < 10; i++) {
      const asked = await patiently(() => send(`${path}/transfer`, giver, { access }));
      const sent = { access: asked.json.access };
      const takeOver = (): ReturnType<typeof send> =>
        patiently(() => send(`${path}/ownership`, taker, sent, { 'Idempotency-Key': `taking-${i}` }));
      const [first, ...others] = [...(await Promise.all([takeOver(), takeOver()])), await takeOver()];
      expect([first?.status, first?.json.data.owner]).toEqual([200, taker]);
      for (const other of others) expect(other).toEqual(first);
      access = (first as { json: Handed }).json.access;
      [giver, taker] = [taker, giver];
    }
  });

  it('share a snapshot', async () => {
    const asked = (): Promise<(string | null | undefined)[]> =>
      Promise.all(
        Array.from({ length: ASSETS_MADE }, async () => {
          const answer = await fetch(`${service.url}${ASSETS}/snapshot.jsonl.gz`, { headers: { Connection: 'close' } });
          await answer.arrayBuffer();
          // While another one makes it.
          return answer.status === 503 ? undefined : answer.headers.get('etag');
        }),
      );
    const tags = async (): Promise<unknown[]> => (await asked()).filter((tag) => tag !== undefined);
    // Each of them may have begun one before it could see the other's.
    expect(new Set(await tags()).size).toBeLessThanOrEqual(WORKERS);
    await until(async () => new Set(await tags()).size === 1);
  });

  it('have one that writes for all, and go on without it when it is killed: nothing is lost, nothing made twice', async () => {
    const titles = Array.from({ length: ASSETS_MADE }, (_, i) => `made while one is killed, ${i}`);
    const asked = titles.map((title) => publish(service.url, title).catch(() => undefined));
    await Promise.race(asked);
    process.kill(writerOf(service), 'SIGKILL');
    const published = await Promise.all(asked);
    made.push(...published.filter((id) => id !== undefined));
    await until(() => workersOf(service).length > WORKERS);
    made.push(await publish(service.url));
    expect(await listedIds(service.url)).toEqual(expect.arrayContaining(made));
    const sql = "SELECT JSON_VALUE(body, '$.title') AS title FROM asset WHERE body LIKE '%while one is killed%'";
    const kept = (await runSql({ databaseUrl: database.url }, sql)) as { title: string }[];
    expect(new Set(kept.map(({ title }) => title)).size).toBe(kept.length);
    expect(workersOf(service)).toContain(writerOf(service));
  });

  it('all end with 0 on SIGTERM, and give their leases back', async () => {
    const leases = (pid: number): Promise<unknown> =>
      runSql({ databaseUrl: database.url }, 'SELECT id FROM service_lease WHERE pid = ?', [pid]);
    const asker = await createConnection(database.url);
    const isGivenBack = async (): Promise<boolean> => {
      const pid = writerOf(service);
      expect(await leases(pid)).toHaveLength(1);
      const { code } = await service.kill('SIGTERM');
      expect(code).toBe(0);
      for (const worker of workersOf(service)) expect(() => process.kill(worker, 0)).toThrow('ESRCH');
      // What they have asked for is done all the same.
      await until(async () => (await othersOf(asker)).length === 0);
      return ((await leases(pid)) as unknown[]).length === 0;
    };
    let triesLeft = 3;
    // The end of a process waits for its database for a second only, and the machine may hold up one of them for longer.
    while (!(await isGivenBack())) {
      expect(--triesLeft).toBeGreaterThan(0);
      service = await ServiceProcess.start(env);
      await until(() => writerOf(service) > 0);
    }
    await asker.end();
  });

  it('end with 0 when their terminal is closed, which tells each of them', async () => {
    const other = await ServiceProcess.start(env);
    const workers = workersOf(other);
    // Stopped, as none shall have ended by what the keeper passes on before it is told itself.
    for (const worker of workers) process.kill(worker, 'SIGSTOP');
    other.signal('SIGHUP');
    for (const signal of ['SIGHUP', 'SIGCONT']) for (const worker of workers) process.kill(worker, signal);
    expect((await other.end).code).toBe(0);
    for (const worker of workers) expect(() => process.kill(worker, 0)).toThrow('ESRCH');
  });

  it('go on when one is killed while the metrics of all are asked for', async () => {
    const other = await ServiceProcess.start({ ...env, METRICS_PORT: '0' });
    const { hostname, port } = new URL(/http:[^"]+\/metrics/.exec(other.output())?.[0] as string);
    const socket = connect(Number(port), hostname);
    const ask = (): boolean => socket.write('GET /metrics HTTP/1.1\r\nHost: any\r\n\r\n');
    ask();
    await once(socket, 'data');
    // When the keeper goes on it is asked first, and finds out then that one of those whom it asks is gone.
    other.signal('SIGSTOP');
    await sleep(200);
    ask();
    await sleep(200);
    process.kill(workersOf(other)[0] as number, 'SIGKILL');
    await sleep(200);
    other.signal('SIGCONT');
    await Promise.race([other.end, until(() => other.output().includes('is replaced'))]);
    expect((await fetch(`${other.url}/health/live`)).status).toBe(200);
    socket.destroy();
    expect((await other.kill('SIGTERM')).code).toBe(0);
  });

  it('go on while none can take the place of one that was killed, and one does later', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'node-'));
    const [node, away] = [join(folder, 'node'), join(folder, 'away')];
    await copyFile(process.execPath, node);
    const other = await ServiceProcess.start(env, undefined, node);
    await rename(node, away);
    process.kill(workersOf(other)[0] as number, 'SIGKILL');
    await Promise.race([other.end, until(() => other.output().includes('ENOENT'))]);
    expect((await fetch(`${other.url}/health/live`)).status).toBe(200);
    await rename(away, node);
    await until(() => workersOf(other).length > WORKERS);
    expect((await other.kill('SIGTERM')).code).toBe(0);
    await rm(folder, { recursive: true });
  });

  it('go on while their keeper can open no more files, and one takes the place of the killed one later', async () => {
    const other = await ServiceProcess.start(env);
    const letOpen = (files: number): unknown =>
      execFileSync('prlimit', ['--pid', String(other.pid), `--nofile=${files}:`]);
    letOpen(1);
    process.kill(workersOf(other)[0] as number, 'SIGKILL');
    await Promise.race([other.end, until(() => other.output().includes('spawn'))]);
    expect((await fetch(`${other.url}/health/live`)).status).toBe(200);
    letOpen(1_024);
    await until(() => workersOf(other).length > WORKERS);
    expect((await other.kill('SIGTERM')).code).toBe(0);
  });

  it('end with their keeper when that is killed', async () => {
    const other = await ServiceProcess.start(env);
    await other.kill('SIGKILL');
    const isAlive = (pid: number): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await until(() => !workersOf(other).some(isAlive));
  });
});

describe.each(servers)('workers that cannot start on $name', (kind) => {
  it('say why once each, and all end with 1', async () => {
    const database = await kind.create();
    const { code, output } = await runService({ DATABASE_URL: database.url, WORKERS: '2' });
    expect(code).toBe(1);
    expect(output).toMatch(/run "registry migrate" first/);
    await database.drop();
  });

  it('say what HOST may be where they cannot listen on it', async () => {
    const database = await kind.create();
    await migrate(database.url);
    const { code, output } = await runService({ DATABASE_URL: database.url, WORKERS: '2', HOST: '192.0.2.1' });
    expect(code).toBe(1);
    expect(output).toMatch(/^Cannot listen: bind EADDRNOTAVAIL.*\. HOST, or METRICS_HOST, is an address/m);
    await database.drop();
  });
});

describe('workers on SQLite', () => {
  it('are refused', async () => {
    const { code, output } = await runService({ WORKERS: '2' });
    expect(code).toBe(1);
    expect(output).toMatch(/WORKERS is 1 on SQLite/);
  });
});
