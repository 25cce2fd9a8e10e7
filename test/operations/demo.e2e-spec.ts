import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addExamples } from '../../clients/demo/src/add-examples.js';
import { STORIES } from '../../clients/demo/src/stories.js';
import { createApp } from '../../src/app.js';
import type { Config } from '../../src/platform/config/config.js';
import { VERSION } from '../../src/platform/config/version.js';
import { assertDemoIsAllowed, fillWithExamples } from '../../src/demo.js';
import { ASSETS } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, type TestDatabase, type TestDatabaseKind } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { builtService, type Ended, runService, ServiceProcess } from '../support/process.js';
import { head } from '../support/raw-socket.js';
import { basic, testConfig } from '../support/registry.js';
import { until } from '../support/until.js';

const [sqlite] = databases as [TestDatabaseKind];

const DEMO = [builtService(), '--demo'];

interface Entry {
  id: string;
  status: string;
  assetType: string;
}

async function listed(url: string): Promise<Entry[]> {
  const answer = await fetch(`${url}${ASSETS}?limit=1000&opt_fields=status,assetType`);
  return ((await answer.json()) as { data: Entry[] }).data;
}

/** What is told after the line that says that it listens comes a little later. */
function told(service: ServiceProcess, what: RegExp): Promise<void> {
  return until(() => what.test(service.output()));
}

const CREATED = '{"access":{"token":"t"},"data":{"id":"i"}}';

/** A registry that answers as it is told to, by the number of the request. */
async function pretend(
  answer: (count: number) => [status: number, body: string],
): Promise<{ url: string; close: () => Promise<void> }> {
  let count = 0;
  const server = createServer((request, response) => {
    const [status, body] = answer(++count);
    request.resume();
    response.writeHead(status, { 'Retry-After': '0' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): Promise<void> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function refusal(env: Record<string, string>, words: readonly string[] = ['--demo']): Promise<Ended> {
  return runService({ DATABASE_URL: 'sqlite:/nonexistent/x', ...env }, builtService(), words);
}

describe('a registry on SQLite that begins empty', () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  beforeAll(async () => {
    database = await sqlite.create();
    env = { DATABASE_URL: database.url };
  });
  afterAll(() => database?.drop());

  it('is filled by --demo', async () => {
    const service = await ServiceProcess.start(env, DEMO);
    await told(service, /Try:/);
    expect(service.output()).toContain(`Examples   ${STORIES} assets`);
    const entries = await listed(service.url);
    expect(new Set(entries.map(({ status }) => status))).toEqual(
      new Set(['pending', 'verification', 'active', 'complete', 'deleted']),
    );
    expect(new Set(entries.map(({ assetType }) => assetType))).toEqual(new Set(['basic', 'compound', 'claimRights']));
    expect(entries.length).toBeGreaterThan(STORIES * 0.95);
    expect(entries.length).toBeLessThan(STORIES);
    expect((await service.kill('SIGTERM')).code).toBe(0);
  });

  it('is offered none where assets are', async () => {
    const service = await ServiceProcess.start(env);
    await told(service, /Try:/);
    expect(service.output()).not.toContain('Examples');
    await service.kill('SIGTERM');
  });
});

describe('--demo, on SQLite', () => {
  it('adds nothing where assets or other accounts are', async () => {
    const other = await sqlite.create();
    await migrate(other.url);
    await command(['key', 'create', '--account', 'acme', '--role', 'broker'], { DATABASE_URL: other.url });
    const config = testConfig(other.url);
    const registry = await createApp(config);
    await registry.databaseOpened;
    const ready = { url: 'http://127.0.0.1:1', demoKeys: registry.demoKeys, isEmpty: true, writesAt: undefined };
    await expect(fillWithExamples(ready, config)).rejects.toThrow('here are other accounts');
    const filled = { ...ready, demoKeys: true, isEmpty: false };
    expect(await fillWithExamples(filled, config)).toBe('not added: the registry has assets already');
    await registry.close();
    await other.drop();
  });

  it('that npm kept for itself, as "--" was forgotten, is one all the same', async () => {
    const { code, output } = await refusal({ NODE_ENV: 'production', npm_config_demo: 'true' }, []);
    expect([code, output]).toEqual([1, expect.stringMatching(/^--demo is refused with NODE_ENV=production.*\n$/)]);
  });

  it.each([
    ['in production', { production: true }, /--demo is refused with NODE_ENV=production/],
    ['without demo keys', { demoKeys: false }, /DEMO_KEYS is off/],
    ['in cluster mode', { clusterServerId: 'one' }, /not for cluster mode/],
  ])('is refused %s', (_, part, sentence) => {
    const sound = { production: false, demoKeys: true, clusterServerId: undefined } as Config;
    expect(() => assertDemoIsAllowed(sound)).not.toThrow();
    expect(() => assertDemoIsAllowed({ ...sound, ...part })).toThrow(sentence);
  });

  it('says that it is not complete when it is ended, which it is in order', async () => {
    const database = await sqlite.create();
    // It adds some at once, and a second later the next: it is not done, however late it is ended.
    const limits = { RATE_LIMIT: '1', RATE_LIMIT_WRITES: '1/20' };
    const service = await ServiceProcess.start({ DATABASE_URL: database.url, ...limits }, DEMO);
    let entries: Entry[] = [];
    await until(async () => (entries = await listed(service.url)).length > 0);
    const { hostname, port } = new URL(service.url);
    const body = Buffer.from('{"access":{}}');
    const late = connect(Number(port), hostname);
    late.write(
      head(
        `POST ${ASSETS}/${entries[0]?.id}/transfer HTTP/1.1`,
        'Host: a',
        // Examples are no work of this account, which may do as much as it likes.
        `Authorization: ${basic('administrator')}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Expect: 100-continue',
      ),
    );
    // A connection that the service has not accepted yet would be reset as it stops listening.
    const [goOn] = (await once(late, 'data')) as [Buffer];
    expect(goOn.toString()).toMatch(/^HTTP\/1.1 100 /);
    late.write(body.subarray(0, 9));
    const ended = service.kill('SIGTERM');
    // By then the next example was refused.
    await sleep(1_500);
    late.write(body.subarray(9));
    expect(await text(late)).toMatch(/^HTTP\/1.1 201 /);
    const { code, output } = await ended;
    expect(code).toBe(0);
    expect(output).toContain('Not all examples were added');
    await database.drop();
  });

  it('says how far it came when it cannot go on', async () => {
    const { url, close } = await pretend((count) => (count > 3 ? [503, 'away'] : [201, CREATED]));
    const sentence =
      /^Only [123] of \d+ examples were added, as \w+ \/api\/0\.1\/assets\S* was answered with 503: away\n/;
    await expect(addExamples(url)).rejects.toThrow(sentence);
    await close();
    await expect(addExamples(url)).rejects.toThrow(/^Only 0 of .* was not answered: /);
  });

  it('asks again where it has asked too often', async () => {
    let refused = 0;
    const { url, close } = await pretend((count) => (count % 100 === 0 && ++refused ? [429, ''] : [201, CREATED]));
    await expect(addExamples(url)).resolves.toBe(STORIES);
    expect(refused).toBeGreaterThan(5);
    await close();
  });
});

describe('the words of the service on SQLite', () => {
  it('others are refused, and the usage told', async () => {
    const { code, output } = await refusal({}, ['--dmeo']);
    expect(code).toBe(1);
    expect(output).toMatch(/^error: .*\n[^]*Usage: asset-registry \[options\][^]*--demo/);
  });

  it('--version tells the version, and nothing is started', async () => {
    expect(await refusal({}, ['--version'])).toEqual({ code: 0, output: `${VERSION}\n` });
  });
});
