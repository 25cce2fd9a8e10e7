import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createDataSource, databaseParts, dataSourceOptions } from '../../src/database/connections/data-sources.js';
import { Database } from '../../src/database/database.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { migrate } from '../support/migrated.js';

describe.each(databases)('the commit that the read barrier waits for on $name', (kind) => {
  let testDatabase: TestDatabase;
  let writer: DataSource;
  let reader: DataSource;
  let database: Database;

  beforeAll(async () => {
    testDatabase = await kind.create();
    await migrate(testDatabase.url);
    writer = createDataSource(await dataSourceOptions(testDatabase.url, 'writer'));
    reader = createDataSource(await dataSourceOptions(testDatabase.url, 'reader'));
    database = new Database(writer, reader, databaseParts(testDatabase.url));
    await database.open();
  });
  afterAll(async () => {
    await database?.onApplicationShutdown();
    await writer?.destroy();
    await reader?.destroy();
    await testDatabase?.drop();
  });

  const barrier = async (): Promise<number> => {
    const [row] = await database.read<{ n: number | string }>('SELECT n FROM feed_barrier');
    return Number(row?.n);
  };

  it('changes a row: a commit of nothing would flush nothing', async () => {
    const before = await barrier();
    await database.flush();
    expect(await barrier()).toBe(before + 1);
  });
});
