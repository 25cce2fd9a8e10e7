import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresDatabase } from '../../clients/sync/src/copies/postgres-database.js';
import { readTarget, type ServerTarget } from '../../clients/sync/src/copies/target.js';
import { publish } from '../support/assets.js';
import { postgresServer, serverCopies, type TestServerCopy } from '../support/copies.js';
import { embedded, type TestDatabaseKind } from '../support/databases.js';
import { type PostgresServer, queryPostgres, TLS_ONLY } from '../support/postgres-server.js';
import { TestRegistry } from '../support/registry.js';
import { expectSame } from '../support/same-copy.js';
import { certificateFile } from '../support/secure-server.js';
import { syncCommand } from '../support/sync-command.js';
import { until } from '../support/until.js';

const kind = serverCopies.find(({ name }) => name === 'PostgreSQL') as (typeof serverCopies)[0];
const saying = (part: string): unknown => expect.stringContaining(part);

/* What copies of every kind do is said by copying, sync, sync-verify and log-copies. */
describe('a copy in PostgreSQL', () => {
  let registry: TestRegistry;
  let copy: TestServerCopy;
  let id: string;
  const sync = (...words: string[]) => syncCommand(registry.url, '--to', copy.target, ...words);
  const verify = (...words: string[]) => syncCommand('verify', registry.url, copy.target, ...words);

  beforeAll(async () => {
    registry = await TestRegistry.start(embedded[0] as TestDatabaseKind);
    ({ id } = await publish(registry));
    await publish(registry);
  });
  afterAll(() => registry?.stop());
  beforeEach(async () => {
    copy = await kind.create();
  });
  afterEach(() => copy.drop());

  it('is in the first schema of the search path, and leaves the others alone', async () => {
    expect(await sync()).toMatchObject({ code: 0 });
    const { pathname } = new URL(copy.target);
    await copy.sql('CREATE SCHEMA "Second Copy"');
    await copy.sql(`ALTER DATABASE ${pathname.slice(1)} SET search_path = "Second Copy", public`);
    expect((await syncCommand('status', copy.target)).stderr).toContain('There is no copy');
    for (const words of [[], ['--resync']])
      expect(await sync(...words)).toMatchObject({ code: 0, stdout: saying('2 assets written') });
    expect(await verify()).toMatchObject({ code: 0 });
    const tables = await copy.sql(
      `SELECT schemaname, tablename FROM pg_tables WHERE tablename = 'asset' ORDER BY schemaname COLLATE "C"`,
    );
    expect(tables.map(({ schemaname }) => schemaname)).toEqual(['Second Copy', 'public']);
    expect(await copy.sql('SELECT id FROM public.asset')).toHaveLength(2);
  });

  it('refuses --resync while a user’s view depends on it, names the view, and is made again once that is dropped', async () => {
    await sync();
    await copy.sql('CREATE VIEW active AS SELECT id FROM asset');
    expect(await sync('--resync')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/view active depends on table asset.*Drop these/s),
    });
    expect(await copy.sql('SELECT id FROM active')).toHaveLength(2);
    await copy.sql('DROP VIEW active');
    expect(await sync('--resync')).toMatchObject({ code: 0 });
    await expectSame(copy, registry);
    const tables = await copy.sql(`SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`);
    expect(tables).toEqual([{ tablename: 'asset' }, { tablename: 'sync_state' }]);
  });

  it('is begun next to tables that a user renamed', async () => {
    await sync();
    for (const table of ['asset', 'sync_state']) await copy.sql(`ALTER TABLE ${table} RENAME TO ${table}_of_2025`);
    expect(await sync()).toMatchObject({ code: 0 });
    await expectSame(copy, registry);
  });

  it('loses a row with the instant of another one', async () => {
    await sync();
    await copy.sql('UPDATE asset SET id = ? WHERE id = ?', 'f'.repeat(32), id);
    expect(await verify()).toMatchObject({ code: 0 });
    await expectSame(copy, registry);
  });

  it('keeps the last of several rows with one key, and of one instant', async () => {
    const database = await PostgresDatabase.connect(readTarget(copy.target) as ServerTarget);
    await database.run('CREATE TABLE pairs (id text PRIMARY KEY, feed_us bigint UNIQUE)');
    const replace = (...rows: [string, number][]): Promise<void> =>
      database.transaction(() => database.replace('pairs', ['id', 'feed_us'], rows));
    await replace(['a', 1], ['b', 2], ['a', 3]);
    expect(await database.all('SELECT * FROM pairs ORDER BY id')).toEqual([
      { id: 'a', feed_us: 3 },
      { id: 'b', feed_us: 2 },
    ]);
    await replace(['c', 2], ['b', 4]);
    await replace(...Array.from({ length: 40_000 }, (_, i): [string, number] => [`d${i}`, 10 + i]));
    expect(await database.all('SELECT count(*) AS count FROM pairs')).toEqual([{ count: 40_003 }]);
    await database.close();
  });

  it('needs UTF8', async () => {
    const { pathname } = new URL(copy.target);
    await copy.sql(`CREATE DATABASE ${pathname.slice(1)}_latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
    const { code, stderr } = await syncCommand(registry.url, '--to', `${copy.target}_latin`);
    expect([code, stderr]).toEqual([1, saying('has the encoding LATIN1: a copy needs UTF8')]);
    await copy.sql(`DROP DATABASE ${pathname.slice(1)}_latin`);
  });
});

describe('the connection to PostgreSQL', () => {
  const VERIFY = `?tls=verify&ca=${encodeURIComponent(certificateFile('authority'))}`;
  const OTHER_CA = `?tls=verify&ca=${encodeURIComponent(certificateFile('another-authority'))}`;
  let server: PostgresServer;
  let url: URL;

  beforeAll(async () => {
    server = await postgresServer();
    url = new URL(await server.create());
    if (!server.isSecure) console.warn('NOT TRIED: no PostgreSQL on this machine that reveals its certificates');
  });
  afterAll(() => server?.drop(url.href));

  const said = async (target: string): Promise<string> => {
    const { code, stderr } = await syncCommand('status', target);
    expect([code, stderr]).toEqual([1, expect.not.stringContaining(url.password)]);
    return stderr;
  };

  it('is encrypted, and the certificate is checked for the name and the address', async () => {
    if (!server.isSecure) return;
    for (const host of ['127.0.0.1', 'localhost']) {
      const target = readTarget(url.href.replace('127.0.0.1', host) + VERIFY) as ServerTarget;
      const database = await PostgresDatabase.connect(target);
      expect(await database.all('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).toEqual([{ ssl: true }]);
      await database.close();
    }
    expect(await said(`${url.href}?tls=require`)).toContain('There is no copy');
    expect(await said(url.href + OTHER_CA)).toContain('tls=verify requires a certificate that is valid');
  });

  it('names the option to set if the server requires TLS for a user, or has no TLS', async () => {
    if (!server.isSecure) return;
    await queryPostgres(url.href, `CREATE ROLE ${TLS_ONLY} LOGIN PASSWORD '${url.password}'`);
    const secured = Object.assign(new URL(url), { username: TLS_ONLY });
    expect(await said(secured.href)).toContain('requires TLS for this user, append ?tls=verify to its URL');
    expect(await said(`${secured.href}?tls=require`)).toContain('There is no copy');
    await queryPostgres(url.href, 'ALTER SYSTEM SET ssl = off');
    await queryPostgres(url.href, 'SELECT pg_reload_conf()');
    await until(async () => (await said(url.href + VERIFY)).includes('No password was sent'));
    await queryPostgres(url.href, `DROP ROLE ${TLS_ONLY}`);
  });

  it('reports a wrong password and a refused connection, without the password', async () => {
    const wrong = Object.assign(new URL(url), { password: 'not-it' });
    expect(await said(wrong.href)).toMatch(
      /^registry-sync: postgres:\/\/127.0.0.1:\d+\/copy_\w+ cannot be reached: pass/,
    );
    for (const host of ['127.0.0.1', 'localhost'])
      expect(await said(`postgres://user:not-it@${host}:1/copies`)).toContain('ECONNREFUSED');
  });
});
