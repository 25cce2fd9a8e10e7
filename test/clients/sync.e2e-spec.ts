import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { MysqlDatabase } from '../../clients/sync/src/copies/mysql-database.js';
import { serverDatabase } from '../../clients/sync/src/copies/server-database.js';
import { readTarget, type ServerTarget } from '../../clients/sync/src/copies/target.js';
import { publish } from '../support/assets.js';
import { copies, mysqlCopies, pathOf, serverCopies, sqlCopies, type TestCopy } from '../support/copies.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { TestRegistry } from '../support/registry.js';
import { copied, expectSame } from '../support/same-copy.js';
import { certificateFile } from '../support/secure-server.js';
import { syncCommand } from '../support/sync-command.js';
import { SyncProcess } from '../support/sync-process.js';

const [sqlite] = databases as [TestDatabaseKind];

/** Tables of a copy on a server. */
async function tablesOf({ target }: TestCopy): Promise<string[]> {
  const server = readTarget(target) as ServerTarget;
  const database = await serverDatabase(server).connect(server);
  const found = await database.columns();
  await database.close();
  return found.map(({ table }) => table);
}

describe('registry-sync', () => {
  let first: TestRegistry;
  let second: TestRegistry;
  beforeAll(async () => {
    [first, second] = [await TestRegistry.start(sqlite), await TestRegistry.start(sqlite)];
    await publish(first);
    await publish(second);
  });
  afterAll(() => Promise.all([first?.stop(), second?.stop()]));

  describe.each(copies)('to $name', ({ create: createCopy }) => {
    let copy: TestCopy;
    beforeEach(async () => {
      copy = await createCopy();
    });
    afterEach(() => copy.drop());

    it('stops at another history, and --resync makes a new copy', async () => {
      await syncCommand(first.url, '--to', copy.target);
      const before = await copied(copy);
      const stopped = await syncCommand(second.url, '--to', copy.target);
      expect([stopped.code, stopped.stderr]).toEqual([
        3,
        expect.stringMatching(/another history.*--resync makes a new copy, which replaces the old one$/m),
      ]);
      expect((await syncCommand('verify', second.url, copy.target)).code).toBe(3);
      expect((await syncCommand('status', copy.target)).stdout).toContain('has nothing newer');
      expect(await copied(copy)).toEqual(before);
      expect((await syncCommand(second.url, '--to', copy.target, '--resync')).code).toBe(0);
      await expectSame(copy, second);
      expect((await syncCommand(second.url, '--to', copy.target)).code).toBe(0);
      expect((await syncCommand(second.url, '--to', copy.target, '--resync')).code).toBe(0);
      await expectSame(copy, second);
    });

    it('of an empty registry is empty, and continues', async () => {
      const registry = await TestRegistry.start(sqlite);
      for (const words of [[], ['--newest-first'], ['--no-snapshot']])
        expect((await syncCommand(registry.url, '--to', copy.target, ...words)).code).toBe(0);
      await publish(registry);
      expect((await syncCommand(registry.url, '--to', copy.target)).stdout).toMatch(/^1 asset written/);
      await expectSame(copy, registry);
      expect((await syncCommand('verify', registry.url, copy.target)).code).toBe(0);
      await registry.stop();
    });

    it('reports a missing copy, and creates nothing', async () => {
      for (const words of [
        ['status', copy.target],
        ['verify', 'http://127.0.0.1:1', copy.target],
      ]) {
        const { code, stderr } = await syncCommand(...words);
        expect([code, stderr]).toEqual([1, expect.stringMatching(/^registry-sync: There is no (?:copy|file)/)]);
      }
      if (copy.target.includes('://')) expect(await tablesOf(copy)).toEqual([]);
      else expect(readdirSync(dirname(pathOf(copy)))).toEqual([]);
    });
  });

  it.each(serverCopies)(
    'to $name reports a lost connection, and continues in the next run',
    async ({ create: createCopy }) => {
      const [registry, copy] = [await TestRegistry.start(sqlite), await createCopy()];
      await publish(registry);
      const runner = SyncProcess.start([registry.url, '--to', copy.target, '--follow', '--poll', '1']);
      await runner.progressLine(({ waiting }) => waiting !== null);
      await copy.cutOff();
      await publish(registry);
      const { code, stderr } = await runner.end;
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /registry-sync: The connection to (?:mysql|postgres):.* was lost .*the next run continues/,
        ),
      ]);
      expect((await syncCommand(registry.url, '--to', copy.target)).code).toBe(0);
      await expectSame(copy, registry);
      await copy.drop();
      await registry.stop();
    },
  );

  it('reports progress once a second, in JSON with --json', async () => {
    const copy = await (copies[0] as (typeof copies)[0]).create();
    const runner = SyncProcess.start([first.url, '--to', copy.target, '--follow', '--poll', '600', '--json']);
    await runner.progressLine(({ waiting }) => waiting !== null);
    const { stdout } = await runner.kill('SIGINT');
    // On a machine that has much to do, a second may be over before it has caught up.
    expect(runner.lines.find(({ waiting }) => waiting !== null)).toEqual({
      step: 'caught up',
      percent: 100,
      assets: 1,
      assetsPerSecond: expect.any(Number),
      secondsLeft: 0,
      lastAssetId: expect.stringMatching(/^UA-/),
      follows: 'polling',
      behindSeconds: expect.any(Number),
      heardSecondsAgo: expect.any(Number),
      waiting: { reason: 'caught up', ms: expect.any(Number) },
    });
    expect(JSON.parse(stdout)).toMatchObject({ copy: copy.target, assets: 1, isWhole: true });
    await copy.drop();
  });

  it.each([
    ['nothing'],
    ['http://127.0.0.1:1', '--to', 'sqlite:x', '--fields', 'a b'],
    ['http://127.0.0.1:1', '--to', 'sqlite:x', '--poll', '60'],
    ['http://127.0.0.1:1', '--to', 'sqlite:x', '--where', 'assetType=a', '--type', 'a'],
  ])('ends with 2 for a call that it does not understand: %s %s %s', async (...words) => {
    const { code, stderr } = await syncCommand(...words);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/./)]);
  });

  it.each([
    ['status=pending', /status can change, and the asset would then no longer match without the copy noticing/],
    ['owner=broker', /Only assetType can select assets, not owner/],
    ['assetType=', /list of names/],
  ])('refuses --where %s, with the reason', async (condition, reason) => {
    const { code, stderr } = await syncCommand('http://127.0.0.1:1', '--to', 'sqlite:x', '--where', condition);
    expect([code, stderr]).toEqual([2, expect.stringMatching(reason)]);
  });

  it.each([['verfy'], ['Verify', 'http://127.0.0.1:1']])(
    'reports the unknown command %s, and lists the known ones',
    async (...words) => {
      const { code, stderr } = await syncCommand(...words, '--to', 'sqlite:x');
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(`unknown command ${words[0]}; the commands are copy, verify, status`),
      ]);
    },
  );

  it('copies nothing for a type or a field that the registry does not have', async () => {
    const copy = await (copies[0] as (typeof copies)[0]).create();
    for (const [option, names, reason] of [
      ['--type', 'basic,boat', 'no asset type boat; it has basic, claimRights, compound\n'],
      ['--where', 'assetType=boat', 'no asset type boat'],
      ['--fields', 'title,titel', 'no field titel; it has id, assetID,'],
    ] as const) {
      const { code, stderr } = await syncCommand(first.url, '--to', copy.target, option, names);
      expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
    }
    expect(existsSync(pathOf(copy))).toBe(false);
    await copy.drop();
  });

  it('continues with a type and a field of the copy that the registry no longer has', async () => {
    const copy = await (sqlCopies[0] as (typeof sqlCopies)[0]).create();
    const words = ['--to', copy.target, '--where', 'assetType=gone', '--fields', 'removed'];
    const { url } = first;
    await syncCommand(url, '--to', copy.target);
    await copy.sql(`UPDATE sync_state SET types = '["gone"]', fields = '["removed"]'`);
    const { code, stderr } = await syncCommand(url, ...words);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('no asset type')]);
    expect((await syncCommand(url, ...words, '--resync')).code).toBe(2);
    // An interrupted --resync next to it.
    for (const name of ['asset', 'sync_state']) await copy.sql(`ALTER TABLE ${name} RENAME TO ${name}_resync`);
    await copy.sql('UPDATE sync_state_resync SET whole_at = NULL');
    expect((await syncCommand(url, ...words, '--resync')).code).toBe(0);
    await copy.drop();
  });

  it.each([
    { signal: 'SIGTERM' as const, words: [] },
    { signal: 'SIGHUP' as const, words: ['--follow', '--where', 'assetType=basic'] },
  ])(
    'reports while it waits that no registry listens, and at which URL, and $signal ends it with 0: $words',
    async ({ signal, words }) => {
      const copy = await (copies[0] as (typeof copies)[0]).create();
      const runner = SyncProcess.start(['http://127.0.0.1:1', '--to', copy.target, ...words]);
      const why = 'http://127.0.0.1:1 refuses the connection: no server listens at this port (ECONNREFUSED)';
      await runner.progressLine(({ waiting }) => (waiting as { why?: string } | null)?.why === why);
      const { code, stdout } = await runner.kill(signal);
      expect([code, stdout]).toEqual([0, expect.stringContaining('nothing was copied')]);
      await copy.drop();
    },
  );

  it('says that a certificate is not trusted, and whose', async () => {
    const key = readFileSync(certificateFile('server-key'));
    const stranger = createServer({ key, cert: readFileSync(certificateFile('both-names')) }).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const copy = await (copies[0] as (typeof copies)[0]).create();
    const url = `https://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    const { code, stderr } = await syncCommand(url, '--to', copy.target);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`registry-sync: ${url} has no usable TLS: `)]);
    stranger.close();
    await copy.drop();
  });

  it.each([['verify', '--help'], ['--version']])('ends with 0 for %s %s', async (...words) => {
    expect((await SyncProcess.start(words).end).code).toBe(0);
  });

  it.each([
    [[], 'copy'],
    [['verify', 'http://127.0.0.1:1'], 'verify'],
    [['status'], 'status'],
  ])('names for %j the help that explains the missing argument', async (words, command) => {
    const { stderr } = await syncCommand(...words);
    expect(stderr).toContain(`(registry-sync help ${command} lists all)`);
    const { code, stdout } = await syncCommand('help', command);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/--to <target>|<target>/)]);
  });

  it.each(serverCopies)('continues a copy of an earlier version in $name', async ({ create: createCopy }) => {
    const copy = await createCopy();
    await TestRegistry.during(sqlite, {}, async (registry) => {
      await syncCommand(registry.url, '--to', copy.target);
      await copy.sql('ALTER TABLE sync_state DROP COLUMN follows');
      expect(JSON.parse((await syncCommand('status', copy.target, '--json')).stdout)).toMatchObject({ follows: null });
      await publish(registry);
      expect((await syncCommand(registry.url, '--to', copy.target)).stdout).toMatch(/^1 asset written/);
      await expectSame(copy, registry);
    });
    await copy.drop();
  });

  it.each(serverCopies)(
    'drops and writes nothing in $name if a table there is not its own',
    async ({ create: createCopy }) => {
      const { url } = first;
      const ours = ['asset', 'sync_state'].flatMap((name) => [`${name}_old`, `${name}_resync`, name]);
      for (const table of ours) {
        const copy = await createCopy();
        for (const name of new Set([table, 'other', ...(table === 'asset' ? ['sync_state'] : [])]))
          await copy.sql(`CREATE TABLE ${name} (id INT, words VARCHAR(20))`);
        await copy.sql(`INSERT INTO ${table} VALUES (1, 'of somebody')`);
        for (const words of [
          [url, '--to', copy.target],
          [url, '--to', copy.target, '--resync'],
          ['verify', url, copy.target],
        ]) {
          const { code, stderr } = await syncCommand(...words);
          expect([code, stderr]).toEqual([1, expect.stringMatching(/has a table "\w+" that is not of a copy/)]);
          expect(await copy.sql(`SELECT * FROM ${table}`)).toEqual([{ id: 1, words: 'of somebody' }]);
        }
        await copy.drop();
      }
    },
  );

  it('knows that another runner writes to a database by the name that the server has for it', async () => {
    const [copy, other] = [await mysqlCopies.create(), await mysqlCopies.create()];
    const [one, another] = [await createConnection(copy.target), await createConnection(other.target)];
    // As on a server with case-insensitive table names.
    await another.query(`USE ${new URL(copy.target).pathname.slice(1)}`);
    await new MysqlDatabase(copy.target, one).lock();
    await expect(new MysqlDatabase(other.target, another).lock()).rejects.toThrow('Another registry-sync is writing');
    for (const connection of [one, another]) await connection.end();
    for (const { drop } of [copy, other]) await drop();
  });

  it.each([
    ['the assets', ['asset']],
    ['the whole copy', ['asset', 'sync_state']],
  ])('drops nothing if a user’s %s has a name that a swap uses', async (_, tables) => {
    const copy = await mysqlCopies.create();
    await syncCommand(first.url, '--to', copy.target);
    if (tables.length === 1) await copy.sql('CREATE TABLE asset_old AS SELECT * FROM asset');
    else for (const table of tables) await copy.sql(`RENAME TABLE ${table} TO ${table}_old`);
    for (const words of [[], ['--resync']]) {
      const { code, stderr } = await syncCommand(first.url, '--to', copy.target, ...words);
      expect([code, stderr]).toEqual([1, expect.stringContaining('has a table "asset_old" that is not of a copy')]);
    }
    for (const table of tables) expect(await copy.sql(`SELECT * FROM ${table}_old`)).toHaveLength(1);
    await copy.drop();
  });

  it('drops nothing that it may drop, and may not look into', async () => {
    const copy = await mysqlCopies.create();
    const target = new URL(copy.target);
    const name = target.pathname.slice(1);
    const user = `u${name.slice(-20)}`;
    await copy.sql('CREATE TABLE asset_old (words VARCHAR(20))');
    await copy.sql(`INSERT INTO asset_old VALUES ('of somebody')`);
    await copy.sql(`CREATE USER ${user} IDENTIFIED BY '${target.password}'`);
    await copy.sql(`GRANT CREATE, DROP, ALTER, INDEX ON ${name}.* TO ${user}`);
    target.username = user;
    const { code, stderr } = await syncCommand(first.url, '--to', target.href);
    expect([code, stderr]).toEqual([1, expect.stringContaining('has a table "asset_old" that is not of a copy')]);
    expect(await copy.sql('SELECT * FROM asset_old')).toEqual([{ words: 'of somebody' }]);
    await copy.sql(`DROP USER ${user}`);
    await copy.drop();
  });

  it('drops the remains of a swap that was killed before or while dropping them', async () => {
    const copy = await mysqlCopies.create();
    for (const tables of [['asset', 'sync_state'], ['sync_state']]) {
      await syncCommand(first.url, '--to', copy.target);
      for (const table of tables) await copy.sql(`CREATE TABLE ${table}_old AS SELECT * FROM ${table}`);
      expect((await syncCommand(first.url, '--to', copy.target)).code).toBe(0);
      expect(await copy.sql(`SHOW TABLES LIKE '%\\_old'`)).toEqual([]);
    }
    await copy.drop();
  });
});
