import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApp } from '../../src/app.js';
import { parseDatabaseUrl, type ServerAddress } from '../../src/platform/config/database-url.js';
import { createDataSource, databaseParts, dataSourceOptions } from '../../src/database/connections/data-sources.js';
import { mysqlLogin, mysqlOptions } from '../../src/database/dialects/mysql/mysql-options.js';
import { MysqlDialect } from '../../src/database/dialects/mysql/mysql.dialect.js';
import { Hosts } from '../../src/database/connections/hosts.js';
import { Session } from '../../src/database/connections/session.js';
import { ASSETS, change, publish } from '../support/assets.js';
import { command } from '../support/commands.js';
import { expectError } from '../support/errors.js';
import { askFor, FakeServer } from './fake-server.js';
import { readiness } from '../support/readiness.js';
import { TestRegistry, testConfig } from '../support/registry.js';
import { certificateFile, SecureServer } from '../support/secure-server.js';
import { syncCommand } from '../support/sync-command.js';
import { until } from '../support/until.js';

const CA = certificateFile('authority');
const VERIFY = `?tls=verify&ca=${encodeURIComponent(CA)}`;
const OTHER_CA = `?tls=verify&ca=${encodeURIComponent(certificateFile('another-authority'))}`;

/** Bytes of the SSL request, which contains no user name. The next byte is 0x16 if TLS begins. */
const SSL_REQUEST = 36;

const folder = mkdtempSync(join(tmpdir(), 'registry-tls-'));
let server: SecureServer | undefined;
let url: string;
let sqlite: TestRegistry;

/** The error of a service that cannot connect; it must not contain the password. */
async function startRefused(databaseUrl: string): Promise<string> {
  const said = await createApp(testConfig(databaseUrl)).then(
    () => 'it has started',
    (error: Error) => error.message,
  );
  expect(said).not.toContain(new URL(databaseUrl).password);
  return said;
}

/** The errors of everything that connects to a database. */
async function refusals(databaseUrl: string): Promise<Record<'service' | 'command' | 'copy' | 'sync', string>> {
  const service = await startRefused(databaseUrl);
  const migrating = await command(['migrate'], { DATABASE_URL: databaseUrl });
  const copying = await command(['db', 'verify', databaseUrl, sqlite.databaseUrl], {});
  const syncing = await syncCommand('status', databaseUrl);
  const said = { service, command: migrating.output, copy: copying.output, sync: syncing.stderr };
  expect([migrating.code, copying.code, syncing.code]).toEqual([1, 1, 1]);
  expect(JSON.stringify(said)).not.toContain(new URL(databaseUrl).password);
  return said;
}

function each<T>(value: T): Record<'service' | 'command' | 'copy' | 'sync', T> {
  return { service: value, command: value, copy: value, sync: value };
}

const at = (host: string): string => url.replace('@127.0.0.1:', `@${host}:`);

beforeAll(async () => {
  server = await SecureServer.start();
  if (server === undefined) return console.warn('NOT TRIED: no server on this machine that reveals its certificates');
  url = await server.create('served');
  const { code } = await command(['migrate'], { DATABASE_URL: url + VERIFY });
  expect(code).toBe(0);
  sqlite = await TestRegistry.startOn(`sqlite:${join(folder, 'other.sqlite')}`);
});
afterAll(async () => {
  await sqlite?.stop();
  await server?.stop();
  rmSync(folder, { recursive: true });
});

describe('a database server that takes encrypted connections only', () => {
  beforeAll(() => server?.requireTls(true));
  afterAll(() => server?.requireTls(false));

  it('is the reason in the error of every client without TLS, with the option to set', async () => {
    if (server === undefined) return;
    const advice = /append \?tls=verify to (?:the|its) URL, .*or \?tls=require/;
    const said = await refusals(url);
    expect(said).toEqual(each(expect.stringMatching(advice)));
    // MariaDB calls the password wrong.
    expect(said.service).toMatch(
      /^DATABASE_URL: the server (?:takes encrypted connections only|.* requires TLS for this user)/,
    );
  });

  it('is used over TLS by the service and all commands', async () => {
    if (server === undefined) return;
    const databaseUrl = at('localhost') + VERIFY;
    const registry = await TestRegistry.startOn(databaseUrl);
    const owned = await publish(registry);
    expect((await change(registry, owned, { title: 'over TLS' })).status).toBe(200);
    expect((await readiness(registry)).status).toBe(200);
    expect((await registry.send(`${ASSETS}/${owned.id}/history`)).status).toBe(200);
    const target = (await server.create('a_copy')).replace('@127.0.0.1:', '@localhost:') + VERIFY;
    const synchronised = await syncCommand(registry.url, '--to', target);
    expect(synchronised.code).toBe(0);
    expect((await syncCommand('verify', registry.url, target)).stdout).toMatch(/^The copy is the same/);
    const backup = join(folder, 'backup.sqlite');
    expect((await command(['backup', backup], { DATABASE_URL: databaseUrl })).code).toBe(0);
    expect((await command(['key', 'list'], { DATABASE_URL: databaseUrl })).code).toBe(0);
    await registry.stop();
    const restoring = ['restore', backup, '--replace', '--yes', 'served'];
    expect(await command(restoring, { DATABASE_URL: databaseUrl })).toMatchObject({ code: 0 });
    const moved = `sqlite:${join(folder, 'moved.sqlite')}`;
    expect((await command(['db', 'move', databaseUrl, moved], {})).output).toContain('every row is the same');
  });
});

describe('a user who may connect over TLS only', () => {
  it('gets that reason, although the server says that the password is wrong', async () => {
    if (server === undefined) return;
    const own = await server.create('secured', 'SSL');
    expect(await refusals(own)).toEqual(each(expect.stringMatching(/requires TLS for this user.* \?tls=verify/)));
    expect((await command(['migrate'], { DATABASE_URL: `${own}?tls=require` })).code).toBe(0);
    const wrong = new URL(`${own}?tls=require`);
    wrong.password = 'not-the-password';
    const said = await refusals(wrong.href);
    expect(said.service).toBe('DATABASE_URL: the server refuses the user, password or database name of the URL');
    expect(said.sync).toMatch(/Access denied for user '\S+ \(using password: YES\)\n$/);
  });
});

describe('encrypted connections', () => {
  it('that are cut or destroyed end as others do: one error each, and the pool drops them', async () => {
    if (server === undefined) return;
    const { dialect, monitor } = databaseParts(at('localhost') + VERIFY);
    const hosts = monitor?.hosts;
    const dataSource = createDataSource(await dataSourceOptions(at('localhost') + VERIFY, 'reader', hosts));
    await dataSource.initialize();
    const open = () => Promise.all(Array.from({ length: 4 }, () => Session.open(dataSource, dialect, 'reader')));
    const { pool } = dataSource.driver as unknown as { pool: { _allConnections: { length: number } } };
    const isGone = () => pool._allConnections.length === 0;
    const [idle, used, waiting] = await open();
    idle?.release();
    const answer = waiting?.query('SELECT SLEEP(4)').catch((error: unknown) => dialect.classifyFailure(error));
    hosts?.dropConnections();
    expect(await answer).toBe('lost');
    expect(used?.isOpen).toBe(false);
    await until(isGone);
    for (const session of await open()) session.destroy();
    await until(isGone);
    for (const session of await open()) session.release();
    await server.endConnections();
    await until(isGone);
    await dataSource.destroy();
  });

  it('that are cut before they are made end as well', async () => {
    const fake = await FakeServer.start(true);
    const address = parseDatabaseUrl(fake.url + VERIFY) as ServerAddress;
    const hosts = new Hosts(address.hosts);
    const dataSource = createDataSource(mysqlOptions(mysqlLogin(address), hosts, 'mysql', 'reader'));
    const connecting = dataSource.initialize().catch((error: unknown) => new MysqlDialect().classifyFailure(error));
    await until(() => fake.received.length > SSL_REQUEST);
    hosts.dropConnections();
    expect(await connecting).toBe('away');
    await fake.stop();
  });
});

describe('the certificate of a database server', () => {
  it.each([
    ['signed by another authority', 'both-names', '127.0.0.1', OTHER_CA, /unable to|self-signed/],
    ['expired', 'expired', 'localhost', VERIFY, /certificate has expired/],
    ['of another host', 'another-host', 'localhost', VERIFY, /localhost\. is not in the cert's altnames/],
    ['of localhost, and not of its address', 'name-alone', '127.0.0.1', VERIFY, /127\.0\.0\.1 is not in the cert's/],
  ] as const)('%s is refused before a password is sent', async (_name, certificate, host, parameters, reason) => {
    if (server === undefined) return;
    await server.show(certificate);
    const said = await startRefused(at(host) + parameters);
    expect(said).toMatch(/^DATABASE_URL: no secure connection to the server/);
    expect(said).toMatch(reason);
    expect(said).toMatch(/tls=verify requires a certificate that is valid, names the host/);
  });

  it('of one of several hosts is checked by its own name, and the next host is used if it is refused', async () => {
    if (server === undefined) return;
    await server.show('name-alone');
    const { host } = new URL(url);
    const both = `${host},${host.replace('127.0.0.1', 'localhost')}`;
    const registry = await TestRegistry.startOn(url.replace(host, both) + VERIFY);
    expect((await publish(registry)).asset.status).toBe('pending');
    await registry.stop();
  });

  it('is not looked at with tls=require', async () => {
    if (server === undefined) return;
    await server.show('expired');
    expect((await command(['key', 'list'], { DATABASE_URL: `${url}?tls=require` })).code).toBe(0);
  });

  it('that expires while the service runs makes requests 503, until it is renewed', async () => {
    if (server === undefined) return;
    await server.show('both-names');
    const registry = await TestRegistry.startOn(at('localhost') + VERIFY);
    const { id } = await publish(registry);
    const read = () => registry.send(`${ASSETS}/${id}`);
    await server.show('expired');
    await server.endConnections();
    await until(async () => (await read()).status !== 200);
    for (const reply of [await read(), await registry.send('/health/ready')])
      expectError(reply, 503, 'header', 'server');
    await server.show('both-names');
    await until(async () => (await read()).status === 200);
    await registry.stop();
  });
});

describe('the file of authorities', () => {
  it.each([
    ['is not there', undefined, /ENOENT/],
    ['is something else', 'no certificate', /contains no certificate/],
    ['is damaged', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', /cannot be used/],
  ])('that %s is refused at the start, by its name', async (name, content, reason) => {
    if (server === undefined) return;
    const file = join(folder, `${name}.pem`);
    if (content !== undefined) writeFileSync(file, content);
    const said = await startRefused(`${url}?tls=verify&ca=${encodeURIComponent(file)}`);
    expect(said).toContain(`ca=${file} `);
    expect(said).toMatch(reason);
  });
});

describe('a database server without TLS', () => {
  it('receives nothing at all', async () => {
    if (server === undefined) return;
    const fake = await FakeServer.start(false);
    expect(await refusals(`${fake.url}?tls=require`)).toEqual(each(expect.stringMatching(/[Nn]o password was sent/)));
    expect(fake.received).toHaveLength(0);
    await fake.stop();
  });

  it('receives nothing in plain text if it sends a packet before TLS', async () => {
    if (server === undefined) return;
    for (const plugin of ['caching_sha2_password', 'sha256_password', 'mysql_native_password']) {
      const fake = await FakeServer.start(true, [askFor(plugin, 2)]);
      const said = syncCommand('status', fake.url + VERIFY);
      await until(() => fake.received.length > SSL_REQUEST);
      await fake.stop();
      expect((await said).stderr).toMatch(/cannot be reached/);
      expect(fake.received[SSL_REQUEST]).toBe(0x16);
      expect(fake.received.toString('latin1')).not.toMatch(/teller|geheim/);
    }
  });
});
