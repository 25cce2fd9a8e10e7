import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import type { DataSource } from 'typeorm';
import { createDataSource, databaseParts, dataSourceOptions } from '../../src/database/connections/data-sources.js';
import type { Dialect } from '../../src/database/dialects/dialect.js';
import { Session } from '../../src/database/connections/session.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { migrate } from '../support/migrated.js';

/** Longer than the server waits for a silent process, and a limit if it never gives up. */
const PATIENCE_S = 20;

describe.each(databases.filter(({ name }) => name !== 'SQLite'))('a process that is silent on $name', (kind) => {
  let database: TestDatabase;
  let writer: DataSource;
  let dialect: Dialect;

  beforeAll(async () => {
    database = await kind.create();
    await migrate(database.url);
    ({ dialect } = databaseParts(database.url));
    writer = createDataSource(await dataSourceOptions(database.url, 'writer'));
    await writer.initialize();
  });
  afterAll(async () => {
    await writer?.destroy();
    await database?.drop();
  });

  it('releases locks of a batch that is not written yet', async () => {
    const lane = await Session.open(writer, dialect, 'lane');
    const read = `SELECT last_us FROM feed_clock WHERE id = 1 ${dialect.sql.forUpdate}`;
    await lane.query(read);
    const other = await createConnection(database.url);
    try {
      await other.query(`SET SESSION innodb_lock_wait_timeout = ${PATIENCE_S}`);
      expect((await other.query(read))[0]).toHaveLength(1);
    } finally {
      await other.end();
      lane.destroy();
    }
  });
});
