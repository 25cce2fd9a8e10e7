import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { assetBody, ASSETS, post } from '../support/assets.js';
import { databases } from '../support/databases.js';
import { TestRegistry } from '../support/registry.js';

describe('a service on SQLite', () => {
  let registry: TestRegistry;
  let path: string;
  const create = async (): Promise<number> => (await post(registry, assetBody())).status;

  beforeAll(async () => {
    registry = await TestRegistry.start(databases[0] as (typeof databases)[0]);
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

  it('starts while another process has the file, answers reads, and takes writes when it is let go', async () => {
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
});
