import { existsSync, symlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Sqlite from 'embedded-sqlite';
import { createApp } from '../../src/app.js';
import { assetBody, ASSETS, post, publish } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { TestRegistry, testConfig } from '../support/registry.js';

const [SQLITE] = databases as [TestDatabaseKind];

describe('a service on SQLite', () => {
  let registry: TestRegistry;
  let path: string;
  const create = async (): Promise<number> => (await post(registry, assetBody())).status;

  beforeAll(async () => {
    registry = await TestRegistry.start(SQLITE);
    path = registry.databaseUrl.slice('sqlite:'.length);
  });
  afterAll(() => registry?.stop());

  it('leaves one file without a log when it ends', async () => {
    expect(await create()).toBe(201);
    expect((await registry.send(ASSETS)).status).toBe(200);
    expect(existsSync(`${path}-wal`)).toBe(true);
    await registry.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
    registry = await TestRegistry.startOn(registry.databaseUrl);
  });

  it('starts while another process has locked the file, answers reads, and writes once the lock is released', async () => {
    await registry.close();
    const other = new Sqlite(path);
    other.exec('BEGIN IMMEDIATE');
    try {
      registry = await TestRegistry.startOn(registry.databaseUrl);
      const written = create();
      expect((await registry.send(ASSETS)).status).toBe(200);
      other.exec('ROLLBACK');
      expect(await written).toBe(201);
    } finally {
      other.close();
    }
  });

  it('keeps another one away that is given the file by a symbolic link', async () => {
    symlinkSync(path, `${path}-link`);
    await expect(createApp(testConfig(`sqlite:${path}-link`))).rejects.toThrow('Another process serves ');
  });
});

describe('a restore through a symbolic link', () => {
  it('is refused while a service runs, and otherwise replaces the file that the link points to', async () => {
    const database = await SQLITE.create();
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
