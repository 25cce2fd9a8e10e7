import { describe, expect, it } from '@jest/globals';
import { findFreePort } from '../../scripts/machine/free-port.js';
import { VERSION } from '../../src/platform/config/version.js';
import { StartError } from '../../src/platform/errors/start-error.js';
import { ASSETS, assetBody, post } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, embedded, type TestDatabaseKind } from '../support/databases.js';
import { askFor, FakeServer } from './fake-server.js';
import { loadServiceHere } from '../support/loaded-service.js';
import { migrate } from '../support/migrated.js';
import { ServiceProcess } from '../support/process.js';
import { TestRegistry } from '../support/registry.js';
import { until } from '../support/until.js';

// Its errors are compared by their class.
loadServiceHere();

describe.each(embedded)('demo keys in production, on $name', (kind) => {
  it('prevent the service from starting, until they are revoked, or their accounts disabled', async () => {
    const database = await kind.create();
    const env = { DATABASE_URL: database.url };
    await migrate(database.url);
    await (await TestRegistry.startOn(database.url)).close();
    const production = { NODE_ENV: 'production', DRAIN_DELAY: '0' };
    const refused = await TestRegistry.startOn(database.url, production).catch((reason: unknown) => reason);
    expect(refused).toBeInstanceOf(StartError);
    const { message } = refused as StartError;
    expect(message).toMatch(/demo keys, which anyone knows, of .*NODE_ENV=production does not start with them/);
    for (const name of ['broker', 'broker2', 'concierge', 'administrator']) expect(message).toContain(name);
    expect((await command(['account', 'disable', 'administrator'], { ...env, NODE_ENV: 'production' })).code).toBe(0);
    for (const [, id = ''] of message.matchAll(/registry key revoke (\w+)/g))
      expect((await command(['key', 'revoke', id], { ...env, NODE_ENV: 'production' })).code).toBe(0);
    await (await TestRegistry.startOn(database.url, production)).close();
    await database.drop();
  });

  it('are refused by a service that started before they were added', async () => {
    const database = await kind.create();
    const env = { DATABASE_URL: database.url };
    await migrate(database.url);
    await (await TestRegistry.startOn(database.url)).close();
    const names = ['broker', 'broker2', 'concierge', 'administrator'];
    for (const name of names) expect((await command(['account', 'disable', name], env)).code).toBe(0);
    const registry = await TestRegistry.startOn(database.url, { NODE_ENV: 'production', DRAIN_DELAY: '0' });
    for (const name of names) expect((await command(['account', 'enable', name], env)).code).toBe(0);
    const { output } = await command(['key', 'create', '--account', 'broker', '--role', 'broker'], env);
    expect((await post(registry, assetBody(), output.match(/ark_\w+/)?.[0])).status).toBe(201);
    for (const name of names) expect((await post(registry, assetBody(), name)).status).toBe(401);
    await registry.close();
    await database.drop();
  });
});

describe('the built service in production', () => {
  it('says that it listens in a line of its log, whatever LOG_LEVEL is', async () => {
    const database = await (databases[0] as TestDatabaseKind).create();
    const env = { DATABASE_URL: database.url, NODE_ENV: 'production', DRAIN_DELAY: '0', LOG_LEVEL: 'silent' };
    const service = await ServiceProcess.start(env);
    await service.kill('SIGTERM');
    const { url } = service;
    expect(
      service
        .output()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      {
        level: 30,
        time: expect.stringMatching(/^\d{4}-/),
        msg: `Asset registry is listening on ${url} (version ${VERSION})`,
        url,
        version: VERSION,
      },
    ]);
    await database.drop();
  });
});

it('the log of the built service warns of misspelt settings, of demo keys on a public address, and of nothing else', async () => {
  const database = await (databases[0] as TestDatabaseKind).create();
  const env = {
    DATABASE_URL: database.url,
    HOST: '0.0.0.0',
    TIMEZONE: 'UTC',
    METRICS_PORT: String(await findFreePort()),
  };
  const service = await ServiceProcess.start(env);
  expect(await service.send(`${ASSETS}/snapshot.jsonl.gz`)).toMatchObject({ status: 200 });
  const { output } = await service.kill('SIGTERM');
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  const warnings = [
    /^TIMEZONE .* did you mean TIME_ZONE/,
    /^HOST is reachable from other machines, and the public demo/,
  ];
  expect(messages).toEqual(warnings.map((text) => expect.stringMatching(text)));
  await database.drop();
});

describe('output of libraries in the built service', () => {
  it('is a line of the log, such as of MySQL packets out of order', async () => {
    const fake = await FakeServer.start(true, [askFor('mysql_native_password', 7)]);
    const service = await ServiceProcess.start({ DATABASE_URL: fake.url, NODE_ENV: 'production' });
    const printed = 'Warning: got packets out of order. Expected 2 but received 7';
    await until(() => service.output().includes(printed));
    // Output to standard error is included.
    const { output } = await service.kill('SIGKILL');
    const lines = output.split('\n').filter((line) => line.includes(printed));
    for (const line of lines)
      expect(JSON.parse(line)).toEqual({ level: 40, time: expect.stringMatching(/^\d{4}-/), msg: printed });
    await fake.stop();
  });

  it('is a line of the log for warnings of Node', async () => {
    const code = `process.on('SIGUSR2',()=>process.emitWarning('odd',{type:'OddWarning',code:'ODD1'}))`;
    const database = await (databases[0] as TestDatabaseKind).create();
    const env = { DATABASE_URL: database.url, NODE_ENV: 'production' };
    const service = await ServiceProcess.start({ ...env, NODE_OPTIONS: `--import=data:text/javascript,${code}` });
    service.signal('SIGUSR2');
    await until(() => service.output().includes('"odd"'));
    const { output } = await service.kill('SIGKILL');
    await database.drop();
    const lines = output.split('\n').filter((line) => /odd/i.test(line));
    const entries = lines.map((line) => JSON.parse(line) as unknown);
    const line = { level: 40, time: expect.stringMatching(/^\d{4}-/) };
    expect(entries).toContainEqual({ ...line, warning: 'OddWarning', code: 'ODD1', msg: 'odd' });
  });
});
