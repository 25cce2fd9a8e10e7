import { describe, expect, it } from '@jest/globals';
import { type AssetInput, RegistryClient, type Wait } from 'asset-registry-client';
import { assetBody } from '../support/assets.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { TestRegistry } from '../support/registry.js';

const DATA = assetBody().data as unknown as AssetInput;
const [sqlite] = databases as [TestDatabaseKind];

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
});
