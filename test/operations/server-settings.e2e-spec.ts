import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ASSETS, LOT, publish } from '../support/assets.js';
import { migrate } from '../support/migrated.js';
import { TestRegistry } from '../support/registry.js';
import { FaultyServer } from '../support/faulty-server.js';

/** Defaults of a server for its sessions. */
const ODD = [
  'sql_select_limit = 2',
  'max_join_size = 1',
  'autocommit = 0',
  'completion_type = CHAIN',
  'default_storage_engine = MyISAM',
];
const USUAL = ['sql_select_limit = DEFAULT', 'max_join_size = DEFAULT', 'TRANSACTION READ WRITE'];

let server: FaultyServer;
const ids: string[] = [];
beforeAll(async () => {
  // Without a binary log a commit is visible before it is durable, so that reads wait at the read barrier.
  const started = await FaultyServer.start({ binaryLog: false });
  if (started === undefined) throw new Error('These tests need a server that is installed on this machine');
  server = started;
  await server.setGlobal(ODD);
  await migrate(server.url);
  await server.setGlobal(['TRANSACTION READ ONLY']);
  await during(async (registry) => {
    for (let i = 0; i < 5; i++) ids.push((await publish(registry)).id);
  });
});
afterAll(() => server?.stop());

async function during(work: (registry: TestRegistry) => Promise<void>): Promise<void> {
  const registry = await TestRegistry.startOn(server.url);
  try {
    await work(registry);
  } finally {
    await registry.close();
  }
}

async function list(registry: TestRegistry): Promise<string[]> {
  const { data } = (await registry.send(ASSETS)).json as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

it('a server’s default limits for statements change neither reads nor writes', () =>
  during(async (registry) => {
    expect(await list(registry)).toEqual(ids);
    const data = ids.map((id) => ({ id, relatedLot: LOT }));
    const linked = await registry.send(ASSETS, { method: 'PATCH', key: 'concierge', body: { data } });
    expect([linked.status, linked.text]).toEqual([200, expect.stringContaining(LOT)]);
  }));

it('a read-only server serves reads, also those that need the read barrier', async () => {
  await server.setGlobal(USUAL);
  await during(async (registry) => {
    await server.setReadOnly(true);
    expect((await list(registry)).toSorted()).toEqual(ids.toSorted());
    await server.setReadOnly(false);
  });
});

it('a server whose settings drop every row is refused, with the setting to change', async () => {
  await server.setGlobal(['sql_select_limit = 0']);
  await expect(during(() => Promise.resolve())).rejects.toThrow('set its sql_select_limit to DEFAULT');
  await server.setGlobal(USUAL);
});
