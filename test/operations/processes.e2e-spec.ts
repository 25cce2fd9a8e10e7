import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Sqlite from 'embedded-sqlite';
import { createApp } from '../../src/app.js';
import { StartError } from '../../src/platform/errors/start-error.js';
import { ASSETS, assetBody, change, create, type JsonObject, post } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, embedded, type TestDatabase, type TestDatabaseKind } from '../support/databases.js';
import { newFolder } from '../support/new-folder.js';
import { runService, ServiceProcess } from '../support/process.js';
import { type Sender, TestRegistry, testConfig } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';

const postBy = async (service: Sender, key: string): Promise<number> => (await post(service, assetBody(), key)).status;

describe.each(databases)('the built service, and commands next to it, on $name', (kind) => {
  let database: TestDatabase;
  let env: Record<string, string>;
  let service: ServiceProcess;

  beforeAll(async () => {
    database = await kind.create();
    env = { DATABASE_URL: database.url };
  });
  afterAll(() => database?.drop());

  it('registry migrate brings the schema up to date, and says when it is', async () => {
    expect(await command(['migrate'], env)).toMatchObject({ code: 0, output: expect.stringContaining('Migrated') });
    expect(await command(['migrate'], env)).toMatchObject({ code: 0, output: 'The schema is up to date\n' });
  });

  it('a key that was created works, is listed without being shown, and is refused once revoked', async () => {
    const made = await command(['key', 'create', '--account', 'acme', '--role', 'broker'], env);
    expect(made.code).toBe(0);
    const [, id = '', key = ''] = /^Key (\w+) of acme.*\n(ark_\S+)/.exec(made.output) ?? [];

    service = await ServiceProcess.start(env);
    expect(await postBy(service, key)).toBe(201);
    const list = await command(['key', 'list'], env);
    expect(list.output).toContain(id);
    expect(list.output).not.toContain(key);
    expect((await command(['key', 'revoke', id], env)).code).toBe(0);
    expect(await postBy(service, key)).toBe(401);
  });

  it('an account is disabled, enabled, and its key revoked, while the service writes as much as it can; SIGTERM ends it with 0', async () => {
    const made = await command(['key', 'create', '--account', 'urgent', '--role', 'broker'], env);
    const [, id = ''] = /^Key (\w+) of/.exec(made.output) ?? [];
    let isOver = false;
    const writer = async (): Promise<void> => {
      while (!isOver) await postBy(service, 'broker');
    };
    const writing = Promise.all(Array.from({ length: 8 }, writer));
    const attempts: unknown[] = [];
    for (const word of ['disable', 'enable']) attempts.push(await command(['account', word, 'urgent'], env));
    attempts.push(await command(['key', 'rotate', id], env), await command(['key', 'revoke', id], env));
    isOver = true;
    await writing;
    expect((await service.kill('SIGTERM')).code).toBe(0);
    expect(attempts).toEqual(attempts.map(() => expect.objectContaining({ code: 0 })));
  });
});

describe.each(embedded)('the command line next to a service on $name', (kind) => {
  const service = servedRegistry(kind);
  let env: Record<string, string>;
  beforeAll(() => void (env = { DATABASE_URL: service.databaseUrl }));

  it('lists keys and accounts for people, and as JSON for programs', async () => {
    const words = ['key', 'create', '--account', 'listed', '--role', 'broker', '--expires', '2198-01-01'];
    const [, id = ''] = /^Key (\w+) of listed/.exec((await command(words, env)).output) ?? [];
    const lines = async (...asked: string[]): Promise<string[]> =>
      (await command(asked, env)).output.trimEnd().split('\n');
    const [headings = '', ...keys] = await lines('key', 'list');
    expect(headings).toMatch(/^KEY +ACCOUNT +ROLE +CREATED +EXPIRES +REVOKED +USED$/);
    const row = keys.find((line) => line.startsWith(id)) ?? '';
    expect(row.slice(headings.indexOf('EXPIRES'))).toMatch(/^2198-01-01T\d{2}:00:00 +- +-$/);
    const json = async (...asked: string[]): Promise<Record<string, unknown>[]> =>
      (await lines(...asked, '--json')).map((line) => JSON.parse(line) as Record<string, unknown>);
    const created = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}\+\d{2}:\d{2}$/);
    expect((await json('key', 'list')).find(({ key }) => key === id)).toEqual({
      key: id,
      account: 'listed',
      role: 'broker',
      created,
      revoked: null,
      used: null,
      expires: expect.stringMatching(/^2198-01-01T\d{2}:00:00\.000000\+/),
    });
    expect((await json('account', 'list')).find(({ account }) => account === 'listed')).toEqual({
      account: 'listed',
      role: 'broker',
      created,
      disabled: null,
      bytesToday: 0,
      displayName: null,
    });
    expect(await lines('audit', '--subject', 'nothing')).toEqual(['None']);
    expect(await lines('audit', '--subject', 'nothing', '--json')).toEqual(['']);
  });

  it('a rotated key works together with the old one, until that expires', async () => {
    const words = ['key', 'create', '--account', 'rotating', '--role', 'broker', '--expires', '2199-01-01'];
    const made = await command(words, env);
    const [, id = '', old = ''] = /^Key (\w+) of rotating.*\n(ark_\S+)/.exec(made.output) ?? [];
    const first = await command(['key', 'rotate', id], env);
    expect(first.output).toMatch(/\nIt never expires, but \w+ would have on 2199-01-01.*--expires sets an end/);
    const second = /\n(ark_\S+)/.exec(first.output)?.[1] ?? '';
    // The new one does not end with the old one. Ids of keys are hex, and may have any four digits in them.
    expect((await command(['key', 'list'], env)).output).not.toContain('2199-');
    for (const key of [old, second]) expect(await postBy(service, key)).toBe(201);
    const [, nextId = ''] = /^Key (\w+) replaces/.exec(first.output) ?? [];
    const third =
      /\n(ark_\S+)/.exec((await command(['key', 'rotate', nextId, '--overlap', '0m'], env)).output)?.[1] ?? '';
    expect(await postBy(service, second)).toBe(401);
    expect((await command(['key', 'rotate', '--help'], env)).output).toMatch(/default:\s+7d/);
    for (const key of [old, third]) expect(await postBy(service, key)).toBe(201);
    expect(await command(['key', 'rotate', nextId], env)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/no key .* still accepted/),
    });
  });

  it('the keys of an account that is disabled are refused, until it is enabled', async () => {
    const made = await command(['key', 'create', '--account', 'paused', '--role', 'broker'], env);
    const key = /ark_\S+/.exec(made.output)?.[0] ?? '';
    expect((await command(['account', 'disable', 'paused'], env)).code).toBe(0);
    expect(await postBy(service, key)).toBe(401);
    expect((await command(['account', 'list'], env)).output).toMatch(/paused.*broker.*\d{4}-.*\d{4}-/);
    expect((await command(['account', 'enable', 'paused'], env)).code).toBe(0);
    expect(await postBy(service, key)).toBe(201);
    expect(await command(['account', 'disable', 'absent'], env)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/no account absent/),
    });
  });

  it('an account whose name differs from another in the case of letters alone is refused', async () => {
    const make = (name: string) => command(['key', 'create', '--account', name, '--role', 'broker'], env);
    expect((await make('cased')).code).toBe(0);
    expect(await make('Cased')).toEqual({
      code: 1,
      output: 'registry: There is an account cased, and Cased differs from it only in upper and lower case\n',
    });
    expect((await make('cased')).code).toBe(0);
  });

  it('an account has the display name that it was given last, if one can be read', async () => {
    await command(['key', 'create', '--account', 'known', '--role', 'broker'], env);
    const name = (...displayName: string[]): ReturnType<typeof command> =>
      command(['account', 'display-name', 'known', ...displayName], env);
    const shown = async (): Promise<unknown> => {
      const lines = (await command(['account', 'list', '--json'], env)).output.trimEnd().split('\n');
      const rows = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as JsonObject);
      return rows.find(({ account }) => account === 'known')?.['displayName'];
    };
    const longest = 'Ж'.repeat(200);
    for (const given of ['ТОВ «Відоме»', longest]) {
      expect(await name(given)).toMatchObject({
        code: 0,
        output: expect.stringContaining(`known is shown as ${given}`),
      });
      expect(await shown()).toBe(given);
    }
    for (const unreadable of ['', ' x', 'a\nb', `${longest}Ж`])
      expect(await name(unreadable)).toMatchObject({ code: 1, output: expect.stringMatching(/1 to 200 characters/) });
    expect(await shown()).toBe(longest);
    expect((await name()).code).toBe(0);
    expect(await shown()).toBeNull();
    expect(await command(['account', 'display-name', 'absent', 'x'], env)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/no account absent/),
    });
  });

  it('an owner token that was issued again works, and the lost one does not', async () => {
    const owned = await create(service);
    const send = async (token: string): Promise<number> =>
      (await change(service, { ...owned, token }, { title: token })).status;
    const issued = async (name: string): Promise<string> =>
      /\n([0-9a-f]{32})\n/.exec((await command(['token', 'reissue', name], env)).output)?.[1] ?? '';
    const byId = await issued(owned.id);
    expect(await send(byId)).toBe(200);
    const byNumber = await issued(owned.asset.assetID);
    expect([await send(byId), await send(byNumber)]).toEqual([403, 200]);
    expect(await command(['token', 'reissue', 'nothing'], env)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/no asset nothing/),
    });
  });

  it('a transfer code lets another broker take an asset over, by its id or its number', async () => {
    const { id, asset } = await create(service);
    const take = async (transfer: string): Promise<number> => {
      const sent = { method: 'POST', key: 'broker2', body: { access: { transfer } } };
      return (await service.send(`${ASSETS}/${id}/ownership`, sent)).status;
    };
    const given = async (name: string): Promise<string> => {
      const { output } = await command(['token', 'transfer', name], env);
      expect(output).toContain(`takes ${name} over, once, until 20`);
      return /\n([0-9a-f]{32})\n/.exec(output)?.[1] ?? '';
    };
    const byId = await given(id);
    const byNumber = await given(asset.assetID);
    expect([await take(byId), await take(byNumber), await take(byNumber)]).toEqual([403, 200, 403]);
    expect(await command(['token', 'transfer', 'nothing'], env)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/no asset nothing/),
    });
  });

  it('no key is made that has expired already, by rotating one neither: the old one stays as it is', async () => {
    const words = ['key', 'create', '--account', 'late', '--role', 'broker'];
    const [, id = '', key = ''] = /^Key (\w+) of.*\n(ark_\S+)/.exec((await command(words, env)).output) ?? [];
    for (const asked of [words, ['key', 'rotate', id, '--overlap', '0m']])
      expect(await command([...asked, '--expires', '2020-01-01'], env)).toEqual({
        code: 1,
        output:
          'registry: --expires is in the past (2020-01-01T00:00:00.000000+02:00): the key would never be accepted; no key was made\n',
      });
    expect(await postBy(service, key)).toBe(201);
    expect((await command(['key', 'list'], env)).output.match(/ late /g)).toHaveLength(1);
  });

  it('no key is made for an account that is disabled, until it is enabled', async () => {
    const words = ['key', 'create', '--account', 'resting', '--role', 'broker'];
    const [, id = ''] = /^Key (\w+) of/.exec((await command(words, env)).output) ?? [];
    await command(['account', 'disable', 'resting'], env);
    for (const asked of [words, ['key', 'rotate', id]])
      expect(await command(asked, env)).toEqual({
        code: 1,
        output:
          'registry: The account resting is disabled, and its keys are refused: "registry account enable resting" first\n',
      });
    await command(['account', 'enable', 'resting'], env);
    expect((await command(['key', 'rotate', id], env)).code).toBe(0);
  });

  it.each([
    [['key', 'create', '--account', 'late', '--role', 'concierge'], /has the role broker/],
    [['key', 'create', '--account', 'a b', '--role', 'broker'], /name of an account/],
    [['key', 'create', '--account', 'x', '--role', 'broker', '--expires', 'soon'], /ISO 8601/],
    [['key', 'revoke', 'absent'], /no key absent/],
  ])('%j fails with a sentence', async (words, sentence) => {
    const { code, output } = await command(words, env);
    expect(code).toBe(1);
    expect(output).toMatch(sentence);
    expect(output).not.toContain('    at ');
  });
});

it('registry --version prints the version of the package, also after a command', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(await command(['key', 'list', '--version'], {})).toEqual({ code: 0, output: `${version}\n` });
});

describe('a command on a server that is away', () => {
  const url = 'mysql://user:password@127.0.0.1:1/registry';
  const trouble = 'nothing listens at its address (connect ECONNREFUSED 127.0.0.1:1)';

  it.each([
    ['migrate', 'The database of DATABASE_URL'],
    [`backup ${join(tmpdir(), 'never-made.sqlite')}`, 'mysql://127.0.0.1:1/registry'],
  ])('%s says that, and of which database', async (words, name) => {
    const { code, output } = await command(words.split(' '), { DATABASE_URL: url });
    expect([code, output]).toEqual([1, `registry: ${name}: ${trouble}\n`]);
  });
});

describe('with a DATABASE_URL of a missing file, registry', () => {
  const folder = newFolder();
  const path = join(folder, 'not', 'there.sqlite');
  const env = { DATABASE_URL: `sqlite:${path}` };

  it.each([
    'backup backup.sqlite',
    'clock accept --yes',
    'key list',
    'redact UA-2026-11-21-000301 --field /title --reason error --yes there.sqlite',
  ])('%s reports that and what to do, and creates none', async (words) => {
    expect(await command(words.split(' '), env)).toEqual({
      code: 1,
      output: expect.stringMatching(`^registry: There is no database at ${path}: DATABASE_URL=sqlite:PATH names`),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('db move reports that, and creates none', async () => {
    const { code, output } = await command(['db', 'move', env.DATABASE_URL, `${env.DATABASE_URL}.other`], {});
    expect([code, output]).toEqual([1, `registry: There is no file ${path}\n`]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('prints the absolute path of a relative one', async () => {
    const { output } = await command(['key', 'list'], { DATABASE_URL: 'sqlite:not/there.sqlite' });
    expect(output).toContain(`There is no database at ${resolve('not/there.sqlite')}: `);
  });

  it('treats an empty file as missing, and leaves it unchanged', async () => {
    const other = join(folder, 'other');
    writeFileSync(other, '');
    const { code, output } = await command(['key', 'list'], { DATABASE_URL: `sqlite:${other}` });
    expect([code, output]).toEqual([1, expect.stringMatching(/There is no database at/)]);
    expect(readFileSync(other, 'utf8')).toBe('');
    rmSync(other);
  });

  it.each([
    ['audit', 'is not the database of a registry'],
    ['key create --account acme --role broker', 'is the database of another program'],
    ['the service', 'is the database of another program'],
  ])('leaves the database of another program as it was: %s', async (words, sentence) => {
    const other = join(folder, 'other.sqlite');
    const made = new Sqlite(other);
    // Names that a registry has, too.
    made.exec('CREATE TABLE feed_clock (id INTEGER); CREATE TABLE migrations (id INTEGER, name TEXT)');
    made.exec(`INSERT INTO migrations VALUES (1, 'Theirs1')`);
    made.close();
    const before = readFileSync(other);
    const DATABASE_URL = `sqlite:${other}`;
    const said =
      words === 'the service'
        ? String(await createApp(testConfig(DATABASE_URL)).catch((error: unknown) => error))
        : (await command(words.split(' '), { DATABASE_URL })).output;
    expect(said).toContain(`${other} ${sentence}: DATABASE_URL`);
    expect(readFileSync(other)).toEqual(before);
    // The service has locked it first.
    for (const file of readdirSync(folder)) rmSync(join(folder, file));
  });

  it('a refused key creates none', async () => {
    const words = 'key create --account acme --role broker --expires 2020-01-01';
    const { code, output } = await command(words.split(' '), env);
    expect([code, output]).toEqual([1, expect.stringContaining('registry: --expires is in the past')]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['key create --account acme --role broker', 'migrate'])(
    '%s creates one, and prints its path',
    async (words) => {
      const { code, output } = await command(words.split(' '), env);
      expect([code, output]).toEqual([
        0,
        expect.stringContaining(`\nA new database was made at ${path}: DATABASE_URL`),
      ]);
      expect((await command(words.split(' '), env)).output).not.toContain('A new database');
      rmSync(join(folder, 'not'), { recursive: true });
    },
  );
});

describe('the built service reports what is wrong and ends with 1', () => {
  const databaseUrl = (name: string): string => `sqlite:${process.env.TEST_FOLDER}/${name}.sqlite`;

  it('for a configuration that cannot be used', async () => {
    const { code, output } = await runService({ DATABASE_URL: databaseUrl('no-port'), PORT: 'x', TIME_ZONE: 'y' });
    expect([code, output]).toEqual([1, expect.stringMatching(/- PORT .*\n.*- TIME_ZONE/)]);
  });

  it('for a HOST of another machine', async () => {
    const { code, output } = await runService({
      DATABASE_URL: databaseUrl('no-host'),
      HOST: '192.0.2.1',
      DEMO_KEYS: '0',
    });
    const sentence =
      /^Cannot listen: listen EADDRNOTAVAIL.* 192\.0\.2\.1.*\. HOST, or METRICS_HOST, must be an address of this machine.*\n$/;
    expect([code, output]).toEqual([1, expect.stringMatching(sentence)]);
  });
});

describe('the service does not start', () => {
  const refusal = async (databaseUrl: string): Promise<string> => {
    const error: unknown = await createApp(testConfig(databaseUrl)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartError);
    return (error as StartError).message;
  };

  it.each(databases.filter(({ name }) => name !== 'SQLite'))('on an outdated schema on $name', async (kind) => {
    const database = await kind.create();
    expect(await refusal(database.url)).toMatch(/run "registry migrate" first/);
    await database.drop();
  });

  it('on a file that is not an SQLite database, on a folder, or with a file instead of its folder', async () => {
    const folder = newFolder();
    const file = join(folder, 'text');
    writeFileSync(file, 'not a database, but long enough to be looked at'.repeat(100));
    mkdirSync(join(folder, 'folder.lock'));
    mkdirSync(join(folder, 'folder'));
    const refusals: [path: string, sentence: RegExp][] = [
      [file, /^DATABASE_URL: its file is not an SQLite database, or is damaged \(.*text\); name another file/],
      [`${folder}/folder`, /^DATABASE_URL: its file cannot be opened \(.*folder\.lock\); name a file in a folder/],
      [`${file}/registry.sqlite`, /^DATABASE_URL: its folder cannot be created \(E/],
      // Node tries forever to make folders there.
      ['/proc/none/below/registry.sqlite', /^DATABASE_URL: its folder cannot be created \(E/],
    ];
    for (const [path, sentence] of refusals) expect(await refusal(`sqlite:${path}`)).toMatch(sentence);
    const said = await command(['migrate'], { DATABASE_URL: `sqlite:${folder}/folder` });
    expect(said).toMatchObject({ code: 1, output: expect.stringMatching(/^registry: DATABASE_URL: its file cannot/) });
  });

  it('on an SQLite file that another process serves, until that one has died; nor on its port', async () => {
    const database = await (databases[0] as TestDatabaseKind).create();
    const env = { DATABASE_URL: database.url };
    const service = await ServiceProcess.start(env);
    const reason = /Another process serves .*registry\.sqlite.*: end that process first/;
    expect(await refusal(database.url)).toMatch(reason);
    expect(await postBy(service, 'broker')).toBe(201);
    expect((await command(['key', 'list'], env)).code).toBe(0);
    const onItsPort = await runService({ DATABASE_URL: `${database.url}.other`, PORT: new URL(service.url).port });
    expect(onItsPort).toMatchObject({ code: 1, output: expect.stringMatching(/EADDRINUSE.*choose another PORT/) });
    await service.kill('SIGKILL');
    await (await TestRegistry.startOn(database.url)).close();
    await database.drop();
  });
});
