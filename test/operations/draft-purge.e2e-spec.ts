import { beforeAll, describe, expect, it } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { CopiedDatabase } from '../../src/database/copy/copied-database.js';
import { lockOldDrafts } from '../../src/database/repositories/drafts.js';
import { ASSETS, assetBody, change, create, type Owned, post, publish, read } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases } from '../support/databases.js';
import type { Ended } from '../support/process.js';
import { zoneAtNoon } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { everythingStored, runSql } from '../support/rows.js';

const TIME_ZONE = zoneAtNoon();
const DAY_US = 24 * 3_600 * 1_000_000;

describe.each(databases)('registry draft purge on $name', (kind) => {
  const registry = servedRegistry(kind, { TIME_ZONE });
  let name: string;

  beforeAll(async () => {
    name = new URL(registry.databaseUrl).pathname.split('/').at(-1) as string;
  });

  const purge = (...words: string[]): Promise<Ended> =>
    command(['draft', 'purge', '--older-than', '90d', ...words], { DATABASE_URL: registry.databaseUrl, TIME_ZONE });
  const age = (days: number, ...drafts: Owned[]): Promise<unknown> =>
    Promise.all(
      drafts.map(({ id }) =>
        runSql(registry, 'UPDATE asset SET modified_us = modified_us - ? WHERE id = ?', [days * DAY_US, id]),
      ),
    );
  const countIn = async (table: string, column: string, { id }: Owned): Promise<number> =>
    ((await runSql(registry, `SELECT ${column} FROM ${table} WHERE ${column} = ?`, [id])) as unknown[]).length;

  it('counts old drafts and their bytes, and changes nothing, until the name of the database is given', async () => {
    const draft = await create(registry);
    await age(91, draft);
    const before = await everythingStored(registry);
    const { code, output } = await purge();
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/changed since \S+: 1, with [1-9]\d+ bytes\nTo remove them for good: --yes \S+\n$/),
    ]);
    expect((await purge('--yes', 'another')).code).toBe(1);
    expect(await everythingStored(registry)).toBe(before);
    expect((await purge('--yes', name)).output).toMatch(/: 1, with \d+ bytes\nThey were removed\n$/);
    expect((await purge()).output).toMatch(/: 0, with 0 bytes\n/);
  });

  it('removes a draft with its history, code and receipt, writes an audit entry, and never reuses its number', async () => {
    const made = await registry.send(ASSETS, {
      method: 'POST',
      key: 'broker',
      body: assetBody(),
      headers: { 'Idempotency-Key': 'purged' },
    });
    const draft: Owned = { id: made.json.data.id, token: made.json.access.token, asset: made.json.data };
    await change(registry, draft, { title: 'changed once' });
    const headers = { 'X-Access-Token': draft.token };
    await registry.send(`${ASSETS}/${draft.id}/transfer`, { method: 'POST', key: 'broker', headers });
    await age(91, draft);
    await purge('--yes', name);
    expect((await read(registry, draft)).status).toBe(404);
    expect((await change(registry, draft, { title: 'too late' })).status).toBe(404);
    const left = [
      await countIn('revision', 'asset', draft),
      await countIn('transfer_code', 'id', draft),
      await countIn('receipt', 'asset_id', draft),
    ];
    expect(left).toEqual([0, 0, 0]);
    const audit = await runSql(registry, `SELECT detail FROM audit WHERE action = 'draft.purge' AND subject = ?`, [
      draft.id,
    ]);
    expect(audit).toEqual([{ detail: JSON.stringify({ assetID: draft.asset.assetID, owner: 'broker' }) }]);
    const numberOf = (assetId: string): number => Number(assetId.slice(-6));
    const { json } = await post(registry, assetBody());
    expect(numberOf(json.data.assetID)).toBe(numberOf(draft.asset.assetID) + 1);
  });

  it('leaves drafts that are younger, and all that was ever published', async () => {
    const [young, listed, once] = [await create(registry), await publish(registry), await publish(registry)];
    await change(registry, once, { title: 'a second state' });
    // As by a type whose assets may leave the listing.
    await runSql(registry, 'UPDATE asset SET feed_us = NULL WHERE id = ?', [once.id]);
    await age(89, young);
    await age(91, listed, once);
    await purge('--yes', name);
    for (const { id } of [young, listed, once]) expect(await countIn('asset', 'id', { id } as Owned)).toBe(1);
  });

  it('removes more drafts than go into one transaction', async () => {
    const drafts = await Promise.all(Array.from({ length: 45 }, () => create(registry)));
    await age(91, ...drafts);
    expect((await purge('--yes', name)).output).toMatch(/: 45, with/);
  });

  it('leaves a draft that is changed or published after it was found', async () => {
    const drafts = [await create(registry), await create(registry), await create(registry)] as const;
    await age(91, ...drafts);
    const ids = drafts.map(({ id }) => id);
    await change(registry, drafts[0], { title: 'changed' });
    await change(registry, drafts[1], { status: 'pending' });
    const database = await CopiedDatabase.open(registry.databaseUrl, 'write');
    const { session, dialect } = database;
    const beforeUs = Date.now() * 1_000 - 90 * DAY_US;
    const locked = await database.inTransaction(() => lockOldDrafts(session, dialect, ids, beforeUs));
    await database.close();
    expect(locked.map(({ id }) => id)).toEqual([ids[2]]);
    await purge('--yes', name);
  });

  if (kind.name !== 'SQLite')
    it('does not wait for a draft that another transaction is changing, and leaves it', async () => {
      const draft = await create(registry);
      await age(91, draft);
      const other = await createConnection(registry.databaseUrl);
      await other.beginTransaction();
      await other.query('SELECT id FROM asset WHERE id = ? FOR UPDATE', [draft.id]);
      expect((await purge('--yes', name)).output).toMatch(/: 0, with/);
      await other.end();
      expect((await purge('--yes', name)).output).toMatch(/: 1, with/);
    });
});
