import { describe, expect, it } from '@jest/globals';
import { type AssetInput, RegistryClient, type Wait } from 'asset-registry-client';
import { assetBody, publish } from '../support/assets.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { TestRegistry } from '../support/registry.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';

const DATA = assetBody().data as unknown as AssetInput;
const [sqlite] = databases as [TestDatabaseKind];
const servers = databases.filter(({ name }) => name !== 'SQLite');

async function count(client: RegistryClient, limit: number): Promise<number> {
  let seen = 0;
  for await (const { entries } of client.pages({ limit })) seen += entries.length;
  return seen;
}

describe('the client waits', () => {
  it('as long as a rate limit asks for, and misses nothing', async () => {
    const env = { RATE_LIMIT: 'on', RATE_LIMIT_READS: '2/3', RATE_LIMIT_WRITES: '0.5/1' };
    // A machine that is held up gives back meanwhile what was taken: it is asked until it is too much.
    await TestRegistry.during(sqlite, env, async (registry) => {
      const waits: Wait[] = [];
      const client = new RegistryClient(registry.url, { key: 'broker', onWait: (wait) => waits.push(wait) });
      const { asset, token } = await client.create(DATA);
      await client.publish(asset.id, { token });
      for (let i = 0; waits.length === 0; i++) await client.change(asset.id, { title: `${i}` }, { token });
      expect(waits).toMatchObject([{ reason: 'rate limited' }]);
      await client.page();
      expect(await count(client, 1)).toBe(1);
      while (waits.length === 1) await Promise.all(Array.from({ length: 4 }, () => client.page()));
      // Whole seconds, as Retry-After has them.
      for (const { reason, ms } of waits) expect([reason, ms % 1_000, ms > 0]).toEqual(['rate limited', 0, true]);
      await client.close();
    });
  });

  it.each(servers)('while $name is away', async (kind) => {
    const database = await kind.create();
    await migrate(database.url);
    const proxy = new TcpProxy(new URL(database.url));
    const registry = await TestRegistry.startOn(await proxy.open());
    await publish(registry);
    await proxy.close();
    const waits: Wait[] = [];
    const client = new RegistryClient(registry.url, { key: 'broker', onWait: (wait) => waits.push(wait) });
    const [page, created] = [client.page(), client.create(DATA)];
    await until(() => waits.length >= 2);
    await proxy.open();
    expect((await page).entries).toHaveLength(1);
    expect((await created).asset.status).toBe('draft');
    expect(waits).toContainEqual({ reason: 'unavailable', ms: 2_000, why: `${registry.url} answered 503` });
    await client.close();
    await registry.close();
    await proxy.close();
    await database.drop();
  });
});
