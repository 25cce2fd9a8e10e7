import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { type Database, startDatabase } from './faults/databases.js';
import { ASSETS, change, create, type Owned, publish, read } from './support/assets.js';
import { addAssets } from './support/many-assets.js';
import { migrate, TestRegistry } from './support/registry.js';

const COUNTERS = [
  'Com_stmt_prepare',
  'Com_stmt_execute',
  'Com_begin',
  'Com_commit',
  'Created_tmp_tables',
  'Handler_read_next',
];
const LISTED = 3_000;
/** The service looks after its server four times a second, which reads a row or two. */
const HEARTBEATS = 20;

type Counts = Record<string, number>;

/**
 * What a request costs, in the server's own counters: the same numbers on a slow machine as on a fast one. A server of the test's own,
 * because a server counts for all of its users.
 */
describe('on MariaDB, a request', () => {
  let server: Database;
  let operator: Connection;
  let registry: TestRegistry;
  let owned: Owned;

  beforeAll(async () => {
    server = await startDatabase('mariadb', '');
    operator = await createConnection(server.url);
    await migrate(server.url);
    registry = await TestRegistry.startOn(server.url);
    owned = await publish(registry);
    await addAssets(server.url, LISTED);
  });
  afterAll(async () => {
    await registry?.stop();
    await operator?.end();
    await server?.stop();
  });

  const counters = async (): Promise<Counts> => {
    const [rows] = await operator.query<RowDataPacket[]>(
      `SHOW GLOBAL STATUS WHERE Variable_name IN ('${COUNTERS.join("', '")}')`,
    );
    return Object.fromEntries(rows.map((row) => [row.Variable_name, Number(row.Value)]));
  };

  const difference = (after: Counts, before: Counts): Counts =>
    Object.fromEntries(COUNTERS.map((name) => [name, (after[name] as number) - (before[name] as number)]));

  /** What `work` adds to the counters, without what asking for them adds. The first time is not counted: it prepares statements. */
  const costOf = async (work: () => Promise<unknown>): Promise<Counts> => {
    await work();
    const [first, before] = [await counters(), await counters()];
    await work();
    return difference(difference(await counters(), before), difference(before, first));
  };

  it('that reads an asset is one statement, prepared before', async () => {
    const cost = await costOf(() => read(registry, owned));
    expect(cost).toMatchObject({ Com_stmt_execute: 1, Com_stmt_prepare: 0, Com_commit: 0 });
  });

  it('that reads an asset is far less than a statement where many come at once', async () => {
    const cost = await costOf(() => Promise.all(Array.from({ length: 60 }, () => read(registry, owned))));
    expect(cost.Com_stmt_execute).toBeLessThanOrEqual(30);
  });

  it.each([
    ['the first page', '', ''],
    ['a page in the middle', '&offset=1970-01-01T00:00:00.001500Z', ''],
    ['a page of whole assets', '', '&opt_fields=*'],
    ['a page that is read backwards', '', '&descending=1'],
  ])(
    'for %s is one statement that reads as many entries as it answers, and no temporary table',
    async (_, offset, more) => {
      const cost = await costOf(async () => {
        const { json } = await registry.send(`${ASSETS}?limit=100${offset}${more}`);
        expect(json.data).toHaveLength(100);
      });
      expect(cost).toMatchObject({ Com_stmt_execute: 1, Com_stmt_prepare: 0, Created_tmp_tables: 0 });
      expect(cost.Handler_read_next).toBeLessThanOrEqual(100 + HEARTBEATS);
    },
  );

  it('that creates an asset is its key, the clock, the number, the asset and the audit, and one commit', async () => {
    const cost = await costOf(() => create(registry));
    expect(cost).toMatchObject({ Com_stmt_execute: 5, Com_stmt_prepare: 0, Com_begin: 0, Com_commit: 1 });
  });

  it('that changes an asset is its key, the asset twice, the clock, the change and the audit, and one commit', async () => {
    let number = 0;
    const cost = await costOf(() => change(registry, owned, { title: `title ${number++}` }));
    expect(cost).toMatchObject({ Com_stmt_execute: 6, Com_stmt_prepare: 0, Com_begin: 0, Com_commit: 1 });
  });

  it('that writes shares its commit with those that come together', async () => {
    const cost = await costOf(() => Promise.all(Array.from({ length: 64 }, () => create(registry))));
    expect(cost.Com_commit).toBeLessThanOrEqual(32);
  });
});
