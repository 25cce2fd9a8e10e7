import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { change, create, type Owned, read } from '../support/assets.js';
import { databases } from '../support/databases.js';
import { TestRegistry } from '../support/registry.js';
import { runSql } from '../support/rows.js';

const WRITERS = 8;
const WRITES_BEFORE_AND_AFTER = 40;

// A file is migrated by the service that serves it, before its first request.
const servers = databases.filter(({ name }) => name !== 'SQLite');

/** Does what a migration of a later version may do, as docs/operations.md says: it adds. */
async function migrateFurther(registry: TestRegistry): Promise<void> {
  const statements = [
    'ALTER TABLE asset ADD COLUMN later_us bigint NULL',
    'CREATE INDEX ix_asset_later ON asset (later_us, id)',
    'CREATE TABLE later (id varchar(32) NOT NULL PRIMARY KEY)',
    `INSERT INTO migrations (timestamp, name) VALUES (9000000000000, 'Later9000000000000')`,
  ];
  for (const statement of statements) await runSql(registry, statement);
}

describe.each(servers)('a migration beside a service on $name', (kind) => {
  it('is no error for anyone who writes meanwhile', () =>
    TestRegistry.during(kind, {}, async (registry) => {
      const asset = await create(registry);
      const answers: number[] = [];
      let [ended, enough] = [false, (): void => undefined];
      const write = async (): Promise<void> => {
        while (!ended) {
          answers.push((await change(registry, asset, { title: `title ${answers.length}` })).status);
          if (answers.length % WRITES_BEFORE_AND_AFTER === 0) enough();
        }
      };
      const someWrites = (): Promise<void> => new Promise((resolve) => (enough = resolve));
      const writers = Array.from({ length: WRITERS }, write);
      await someWrites();
      await migrateFurther(registry);
      await someWrites();
      ended = true;
      await Promise.all(writers);
      expect(answers.filter((status) => status !== 200)).toEqual([]);
    }));
});

describe.each(databases)('a service on a schema that a later version has migrated on $name', (kind) => {
  let later: TestRegistry;
  let service: TestRegistry;
  let asset: Owned;

  beforeAll(async () => {
    later = await TestRegistry.start(kind);
    asset = await create(later);
    await migrateFurther(later);
    await later.close();
    service = await TestRegistry.startOn(later.databaseUrl);
  });
  afterAll(async () => {
    await service?.close();
    await later?.drop();
  });

  it('starts, reads and writes', async () => {
    expect((await read(service, asset)).status).toBe(200);
    expect((await change(service, asset, { status: 'pending' })).status).toBe(200);
    expect((await create(service)).asset.status).toBe('draft');
  });
});
