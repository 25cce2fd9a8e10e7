import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newLogKey } from '../../src/log/log-keys.js';
import { ASSETS, publish } from '../support/assets.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { migrate } from '../support/migrated.js';
import { TestRegistry } from '../support/registry.js';
import { runSql } from '../support/rows.js';

describe.each(databases)('the feed’s epoch on $name', (kind) => {
  let database: TestDatabase;
  let registry: TestRegistry;
  const epochOf = async (path: string): Promise<string | null> => (await registry.send(path)).headers.get('feed-epoch');

  beforeAll(async () => {
    database = await kind.create();
    await migrate(database.url);
    registry = await TestRegistry.startOn(database.url);
    await publish(registry);
  });
  afterAll(async () => {
    await registry?.close();
    await database?.drop();
  });

  it('is random hex, and every page says the same one, also an empty one and the answer to HEAD', async () => {
    const epoch = await epochOf(ASSETS);
    expect(epoch).toMatch(/^[0-9a-f]{32}$/);
    for (const query of ['?opt_fields=*', '?descending=1', '?offset=2999-01-01'])
      expect(await epochOf(ASSETS + query)).toBe(epoch);
    expect((await registry.send(ASSETS, { method: 'HEAD' })).headers.get('feed-epoch')).toBe(epoch);
  });

  it('is in spore, and in no link', async () => {
    const { feed_epoch: epoch } = (await registry.send('/api/0.1/spore')).json;
    expect(epoch).toBe(await epochOf(ASSETS));
    const { json } = await registry.send(`${ASSETS}?descending=1`);
    expect(Object.keys(json.next_page)).toEqual(['offset', 'path', 'uri']);
    expect(JSON.stringify(json)).not.toContain(epoch);
  });

  it('is shown to pages of any origin', async () => {
    expect((await registry.send(ASSETS)).headers.get('access-control-expose-headers')).toContain('Feed-Epoch');
  });

  it('is said by the listing alone', async () => {
    for (const path of [`${ASSETS}?limit=0`, '/api/0.1/spore', `${ASSETS}/nothing`])
      expect(await epochOf(path)).toBeNull();
  });

  it('is another one in another database', async () => {
    await TestRegistry.during(kind, {}, async (other) => {
      expect((await other.send(ASSETS)).headers.get('feed-epoch')).not.toBe(await epochOf(ASSETS));
    });
  });

  it('is the same after a restart', async () => {
    const before = await epochOf(ASSETS);
    await registry.close();
    registry = await TestRegistry.startOn(database.url);
    expect(await epochOf(ASSETS)).toBe(before);
  });

  it('of a page and of spore is read from the same database as the answer', async () => {
    await runSql(registry, `UPDATE feed_clock SET epoch = 'other'`);
    expect(await epochOf(ASSETS)).toBe('other');
    expect((await registry.send('/api/0.1/spore')).json.feed_epoch).toBe('other');
  });
});

it('spore answers without the epoch while the database has not been reached, but 503 if a log is configured', async () => {
  const registry = await TestRegistry.startOn('mysql://nobody@127.0.0.1:1/none');
  const { status, json } = await registry.send('/api/0.1/spore');
  expect([status, 'feed_epoch' in json, json.name]).toEqual([200, false, 'asset-registry']);
  await registry.close();
  const logging = await TestRegistry.startOn('mysql://nobody@127.0.0.1:1/none', {
    LOG_KEY: newLogKey('registry.example'),
  });
  expect((await logging.send('/api/0.1/spore')).status).toBe(503);
  await logging.close();
});
