import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody, change, type Owned, post, publish, read } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { TestRegistry } from '../support/registry.js';

const [sqlite] = databases as [TestDatabaseKind];

describe('a registry on SQLite whose disk has less free than its reserve', () => {
  let registry: TestRegistry;
  let owned: Owned;
  const run = (...words: string[]): Promise<{ code: number | null; output: string }> =>
    command(words, { DATABASE_URL: registry.databaseUrl, DISK_RESERVE: '1000000tb' });

  beforeAll(async () => {
    registry = await TestRegistry.start(sqlite);
    owned = await publish(registry);
    await registry.close();
    registry = await TestRegistry.startOn(registry.databaseUrl, { DISK_RESERVE: '1000000tb' });
  });
  afterAll(() => registry?.stop());

  it('answers writes with 503 and Retry-After, and reads as before', async () => {
    const refused = await post(registry, assetBody());
    expectError(refused, 503, 'header', 'server');
    expect(refused.headers.get('retry-after')).toBe('2');
    expect((await change(registry, owned, { title: 'later' })).status).toBe(503);
    expect((await read(registry, owned)).json.data.title).toBe(owned.asset['title']);
    expect((await registry.send(ASSETS)).json.data).toHaveLength(1);
  });

  it('makes no snapshot', async () => {
    expect((await registry.send(`${ASSETS}/snapshot.jsonl.gz`)).status).toBe(503);
  });

  it('is reported as degraded', async () => {
    const { status, json } = await registry.send('/health/ready');
    expect([status, json.status]).toEqual([200, 'degraded']);
    expect(json.parts.writes).toBe('are refused: less than 1048576000000 MiB of its disk are free');
  });

  it('lets operators disable an account, revoke a key and erase a field', async () => {
    const { output } = await run('key', 'list', '--json');
    const { key } = JSON.parse(output.split('\n')[0] as string) as { key: string };
    expect((await run('account', 'disable', 'broker2')).code).toBe(0);
    expect((await run('key', 'revoke', key)).code).toBe(0);
    const name = new URL(registry.databaseUrl).pathname.split('/').at(-1) as string;
    const erased = await run('redact', owned.id, '--field', '/title', '--reason', 'asked for', '--yes', name);
    expect(erased.output).toMatch(/^Erased in/);
  });
});
