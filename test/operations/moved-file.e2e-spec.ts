import { linkSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createApp } from '../../src/app.js';
import { ASSETS, assetBody, post, publish } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { type Reply, TestRegistry, testConfig } from '../support/registry.js';
import { until } from '../support/until.js';

describe.each(['', '-wal', '.lock'])(
  'while the file of an SQLite database (registry.sqlite%s) is not at its path',
  (end) => {
    let registry: TestRegistry;
    let path: string;
    const readiness = (): Promise<Reply> => registry.send('/health/ready');

    beforeAll(async () => {
      registry = await TestRegistry.start(databases[0] as TestDatabaseKind);
      path = registry.databaseUrl.slice('sqlite:'.length) + end;
      await publish(registry);
      renameSync(path, `${path}.moved`);
    });
    afterAll(() => registry.stop());

    it('no change is taken, of which the next start would not know', async () => {
      for (let i = 0; i < 3; i++) expectError(await post(registry, assetBody()), 503, 'header', 'server');
    });

    it('the service is not ready, and says why', async () => {
      await until(async () => (await readiness()).status === 503);
      const sentence = 'database: cannot be used for now: its file was moved, deleted or replaced';
      expectError(await readiness(), 503, 'header', 'server', sentence);
    });

    it('reads go on', async () => expect((await registry.send(ASSETS)).json.data).toHaveLength(1));

    it('and is put back, all goes on', async () => {
      renameSync(`${path}.moved`, path);
      await until(async () => (await post(registry, assetBody())).status === 201);
      await until(async () => (await readiness()).status === 200);
    });
  },
);

describe('the file of a running service', () => {
  let registry: TestRegistry;
  let path: string;
  beforeEach(async () => {
    registry = await TestRegistry.start(databases[0] as TestDatabaseKind);
    path = registry.databaseUrl.slice('sqlite:'.length);
    await publish(registry);
  });
  afterEach(() => registry.stop());

  it.each([
    ['a symbolic link', symlinkSync, 'Another process serves '],
    ['a hard link', linkSync, 'has 2 names (hard links)'],
  ])('is refused to another one that knows it by %s', async (_, link, reason) => {
    link(path, `${path}-link`);
    await expect(createApp(testConfig(`sqlite:${path}-link`))).rejects.toThrow(reason);
    expect((await command(['key', 'revoke', 'none'], { DATABASE_URL: `sqlite:${path}-link` })).output).toContain(
      link === linkSync ? reason : 'no key none',
    );
  });

  it('takes no change any more once another one serves it, whose way was the removal of the lock', async () => {
    rmSync(`${path}.lock`);
    const other = await TestRegistry.startOn(registry.databaseUrl);
    expectError(await post(registry, assetBody()), 503, 'header', 'server');
    await other.close();
  });
});

describe('a symbolic link to the file of an SQLite database', () => {
  let path: string;
  let link: string;
  let registry: TestRegistry;
  beforeEach(async () => {
    const database = await (databases[0] as TestDatabaseKind).create();
    path = database.url.slice('sqlite:'.length);
    link = join(dirname(path), 'link');
    symlinkSync(basename(path), link);
    registry = await TestRegistry.startOn(`sqlite:${link}`);
  });
  afterEach(() => registry.close());

  it('that is not there yet has its lock beside the file, which is its owner’s alone', async () => {
    await expect(createApp(testConfig(`sqlite:${path}`))).rejects.toThrow('Another process serves ');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('takes no change while it leads elsewhere', async () => {
    // Now the file is there when it is opened.
    await registry.close();
    registry = await TestRegistry.startOn(`sqlite:${link}`);
    await publish(registry);
    rmSync(link);
    symlinkSync('another', link);
    expectError(await post(registry, assetBody()), 503, 'header', 'server');
    rmSync(link);
    symlinkSync(basename(path), link);
    await until(async () => (await post(registry, assetBody())).status === 201);
  });
});

describe('a restore through a symbolic link', () => {
  it('is refused over a running service, and else puts the backup where the link leads', async () => {
    const database = await (databases[0] as TestDatabaseKind).create();
    const path = database.url.slice('sqlite:'.length);
    symlinkSync(path, `${path}-link`);
    const env = { DATABASE_URL: `sqlite:${path}-link` };
    const registry = await TestRegistry.startOn(database.url);
    await publish(registry);
    expect((await command(['backup', `${path}-backup`], env)).code).toBe(0);
    await publish(registry);
    const words = ['restore', `${path}-backup`, '--replace', '--yes', basename(`${path}-link`)];
    expect(await command(words, env)).toMatchObject({
      code: 1,
      output: expect.stringContaining('Another process serves'),
    });
    await registry.close();
    expect((await command(words, env)).code).toBe(0);
    const restored = await TestRegistry.startOn(database.url);
    expect((await restored.send(ASSETS)).json.data).toHaveLength(1);
    await restored.close();
    await database.drop();
  });
});
