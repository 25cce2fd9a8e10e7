import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody, change, changeAs, create, createFrom, LOT, post, publish } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { largestBody } from '../support/large-asset.js';
import { TestRegistry, zoneAtNoon } from '../support/registry.js';
import { runSql } from '../support/rows.js';

const LIMIT = 1024 * 1024;
const ENV = {
  BODY_LIMIT: '1mb',
  ACCOUNT_BYTES_PER_DAY: '1mb',
  TIME_ZONE: zoneAtNoon(),
};

describe.each(databases)('the daily byte limit of an account on $name', (kind) => {
  let registry: TestRegistry;
  const restart = async (): Promise<void> => {
    const { databaseUrl } = registry;
    await registry.close();
    registry = await TestRegistry.startOn(databaseUrl, ENV);
  };

  beforeAll(async () => {
    registry = await TestRegistry.start(kind, ENV);
  });
  afterAll(() => registry?.stop());

  const bytesOf = async (account: string): Promise<number> => {
    const env = { DATABASE_URL: registry.databaseUrl, TIME_ZONE: ENV.TIME_ZONE };
    const { output } = await command(['account', 'list', '--json'], env);
    const accounts = output.split('\n').map((line) => JSON.parse(line || '{}') as Record<string, unknown>);
    return accounts.find((row) => row['account'] === account)?.['bytesToday'] as number;
  };

  it('counts creations, changes, groups and both steps of a transfer for the account that makes them', async () => {
    const growthOf = async (account: string, work: () => Promise<{ status: number }>): Promise<number> => {
      const before = await bytesOf(account);
      expect((await work()).status).toBeLessThan(300);
      return (await bytesOf(account)) - before;
    };
    const title = 'ж'.repeat(1_000);
    const owned = await publish(registry);
    const group = [{ id: owned.id, relatedLot: LOT }];
    const asked = { method: 'POST', headers: { 'X-Access-Token': owned.token }, key: 'broker' };
    let transfer = '';
    expect(await growthOf('broker', () => post(registry, assetBody({ title })))).toBeGreaterThan(2 * 2_000);
    expect(await growthOf('broker', () => change(registry, owned, { title }))).toBeGreaterThan(2 * 2_000);
    expect(
      await growthOf('concierge', () =>
        registry.send(ASSETS, { method: 'PATCH', key: 'concierge', body: { data: group } }),
      ),
    ).toBeGreaterThan(2 * 2_000);
    expect(
      await growthOf('broker', async () => {
        const reply = await registry.send(`${ASSETS}/${owned.id}/transfer`, asked);
        transfer = reply.json.access.transfer as string;
        return reply;
      }),
    ).toBeGreaterThan(0);
    const body = { access: { transfer } };
    expect(
      await growthOf('broker2', () =>
        registry.send(`${ASSETS}/${owned.id}/ownership`, { method: 'POST', key: 'broker2', body }),
      ),
    ).toBeGreaterThan(2 * 2_000);
  });

  it('counts neither a dry run nor a change of nothing', async () => {
    const owned = await create(registry);
    const before = await bytesOf('broker');
    await registry.send(`${ASSETS}?dry_run=1`, { method: 'POST', key: 'broker', body: assetBody() });
    await change(registry, owned, {});
    expect(await bytesOf('broker')).toBe(before);
  });

  it('is refused when it is used up, by every service on the database, until the next day', async () => {
    const owned = await createFrom(registry, largestBody());
    expect(await bytesOf('broker')).toBeGreaterThan(LIMIT);
    await restart();
    const refused = await post(registry, assetBody());
    const seconds = Number(refused.headers.get('retry-after'));
    expectError(
      refused,
      429,
      'header',
      'rate_limit',
      expect.stringContaining(`This account has had ${LIMIT} bytes stored today`),
    );
    expect(seconds).toBeGreaterThan(3_600);
    expect(seconds).toBeLessThanOrEqual(86_400);
    expect((await change(registry, owned, { title: 'later' })).status).toBe(429);
    expect((await registry.send(`${ASSETS}/${owned.id}`)).status).toBe(200);
    expect((await post(registry, assetBody(), 'broker2')).status).toBe(201);
    expect((await changeAs(registry, 'administrator', owned.id, { relatedLot: null })).status).toBe(200);

    await runSql(registry, `UPDATE stored_bytes SET day = '2017-08-16'`);
    expect(await bytesOf('broker')).toBe(0);
    expect((await post(registry, assetBody())).status).toBe(201);
    expect(await bytesOf('broker')).toBeLessThan(LIMIT / 10);
  });
});
