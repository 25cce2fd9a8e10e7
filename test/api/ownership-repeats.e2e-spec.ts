import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody, change, changeAs, LOT, type Owned, publish, read } from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { type Reply, type Send, TestRegistry } from '../support/registry.js';
import { addKey, runSql } from '../support/rows.js';

describe.each(databases)('a takeover with an Idempotency-Key on $name', (kind) => {
  let registry: TestRegistry;
  let other: TestRegistry;
  let counter = 0;

  beforeAll(async () => {
    registry = await TestRegistry.start(kind);
    other = kind.name === 'SQLite' ? registry : await TestRegistry.startOn(registry.databaseUrl);
  });
  afterAll(async () => {
    if (other !== registry) await other?.stop();
    await registry?.stop();
  });

  const newKey = (): string => `taking-${++counter}`;
  const withKey = (key: string): Send => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
  });
  /** @param sent the code, or a whole body */
  const take = (
    id: string,
    key: string,
    sent: unknown,
    { account = 'broker2', at = registry }: { account?: string; at?: TestRegistry } = {},
  ): Promise<Reply> => {
    const body = typeof sent === 'string' ? { access: { transfer: sent } } : sent;
    return at.send(`${ASSETS}/${id}/ownership`, { ...withKey(key), key: account, body });
  };
  const create = (key: string): Promise<Reply> =>
    registry.send(ASSETS, { ...withKey(key), key: 'broker2', body: assetBody() });
  const expectKeyRefused = (reply: Reply): void => expectError(reply, 422, 'header', 'Idempotency-Key');
  const expectCodeRefused = (reply: Reply): void => expectError(reply, 403, 'body', 'access.transfer');
  const receiptsOf = (id: string): Promise<unknown> =>
    runSql(registry, 'SELECT id FROM receipt WHERE asset_id = ?', [id]);

  async function given(): Promise<{ owned: Owned; id: string; code: string }> {
    const owned = await publish(registry);
    const asked = await registry.send(`${ASSETS}/${owned.id}/transfer`, { method: 'POST', key: 'administrator' });
    return { owned, id: owned.id, code: asked.json.access.transfer as string };
  }
  async function timesTaken(id: string): Promise<number> {
    const { json } = await registry.send(`${ASSETS}/${id}/history`);
    return (json.data as { changed?: string[] }[]).filter(({ changed }) => changed?.includes('owner')).length;
  }

  it('gets the same answer again, including token and ETag, although the code is used up', async () => {
    const [key, { id, code }] = [newKey(), await given()];
    const first = await take(id, key, code);
    const again = await take(id, key, code);
    expect(first.status).toBe(200);
    expect([again.status, again.text]).toEqual([200, first.text]);
    for (const name of ['etag', 'cache-control', 'content-type'])
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    expect(await timesTaken(id)).toBe(1);
    expectCodeRefused(await take(id, newKey(), code));
  });

  it('those that arrive together, at any process, take it over once and get one answer', async () => {
    const [key, { id, code }] = [newKey(), await given()];
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => take(id, key, code, { at: i % 2 === 0 ? registry : other })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(await timesTaken(id)).toBe(1);
  });

  it('brokers race for one asset, at any process, while its owner changes it: one of them gets it, and its token works', async () => {
    const racing = await addKey(registry, { account: 'racing' });
    for (let race = 0; race < 10; race++) {
      const { owned, id, code } = await given();
      const [two, three] = (await Promise.all([
        take(id, newKey(), code),
        take(id, newKey(), code, { account: racing, at: other }),
        change(registry, owned, { title: 'x' }),
      ])) as [Reply, Reply, Reply];
      expect(new Set([two.status, three.status])).toEqual(new Set([200, 403]));
      const [won, key, owner] = two.status === 200 ? [two, 'broker2', 'broker2'] : [three, racing, 'racing'];
      const { access, data } = won.json;
      expect(data.owner).toBe(owner);
      expect((await change(registry, { ...owned, token: access.token }, {}, key)).status).toBe(200);
      expect((await change(registry, owned, {})).status).toBe(403);
      expect(await timesTaken(id)).toBe(1);
    }
  });

  it('one key used for two assets at the same time takes over one of them', async () => {
    const [key, one, two] = [newKey(), await given(), await given()];
    const replies = await Promise.all([take(one.id, key, one.code), take(two.id, key, two.code, { at: other })]);
    expect(replies.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 422]));
    expect((await timesTaken(one.id)) + (await timesTaken(two.id))).toBe(1);
  });

  it('answers the same token with the present asset if the asset has changed since', async () => {
    const [key, { owned, id, code }] = [newKey(), await given()];
    const { access } = (await take(id, key, code)).json;
    const changed = await change(registry, { ...owned, token: access.token }, { title: 'later' }, 'broker2');
    await changeAs(registry, 'concierge', id, { status: 'active', relatedLot: LOT });
    const again = await take(id, key, code);
    const now = await read(registry, owned);
    expect([changed.status, again.status]).toEqual([200, 200]);
    expect(again.json).toEqual({ access, data: now.json.data });
    expect(again.headers.get('etag')).toBe(now.headers.get('etag'));
  });

  it('with another body is refused, even if it means the same, and before the code is checked', async () => {
    const [key, { id, code }] = [newKey(), await given()];
    await take(id, key, code);
    const next = await registry.send(`${ASSETS}/${id}/transfer`, { method: 'POST', key: 'administrator' });
    const body = JSON.stringify({ access: { transfer: code } });
    for (const sent of [{}, 'f'.repeat(32), next.json.access.transfer as string])
      expectKeyRefused(await take(id, key, sent));
    expectKeyRefused(
      await registry.send(`${ASSETS}/${id}/ownership`, { ...withKey(key), key: 'broker2', body: `${body} ` }),
    );
  });

  it('for another asset is refused, whether there is one or not', async () => {
    const [key, { id, code }, another] = [newKey(), await given(), await given()];
    await take(id, key, code);
    for (const sent of [code, another.code]) expectKeyRefused(await take(another.id, key, sent));
    expectKeyRefused(await take('0'.repeat(32), key, code));
    expect(await timesTaken(another.id)).toBe(0);
  });

  it('a key that was used for a creation is refused, and the other way round', async () => {
    const [creating, taking, { id, code }] = [newKey(), newKey(), await given()];
    await create(creating);
    expectKeyRefused(await take(id, creating, code));
    expectKeyRefused(await take(id, creating, assetBody()));
    expect((await take(id, taking, code)).status).toBe(200);
    expectKeyRefused(await create(taking));
  });

  it('of a refused attempt is free', async () => {
    const [key, { owned, id, code }] = [newKey(), await given()];
    expectCodeRefused(await take(id, key, 'f'.repeat(32)));
    expectCodeRefused(await take(id, key, {}));
    await changeAs(registry, 'concierge', owned.id, { status: 'active', relatedLot: LOT });
    expectError(await take(id, key, code), 403, 'body', 'data');
    await changeAs(registry, 'concierge', owned.id, { status: 'pending' });
    expect(await receiptsOf(id)).toEqual([]);
    expect((await take(id, key, code)).status).toBe(200);
    expect(await receiptsOf(id)).toHaveLength(1);
  });

  it('after a field of the asset was erased is refused', async () => {
    const [key, { owned, id, code }] = [newKey(), await given()];
    await take(id, key, code);
    const { databaseUrl } = registry;
    const name = new URL(databaseUrl).pathname.split('/').at(-1) as string;
    const words = ['redact', owned.asset.assetID, '--field', '/title', '--reason', 'r', '--yes', name];
    expect(await command(words, { DATABASE_URL: databaseUrl })).toEqual({ code: 0, output: expect.any(String) });
    expectKeyRefused(await take(id, key, code));
  });

  it('is ignored on a request for a code', async () => {
    const [key, { id }] = [newKey(), await given()];
    const ask = (): Promise<Reply> =>
      registry.send(`${ASSETS}/${id}/transfer`, { ...withKey(key), key: 'administrator', body: {} });
    const codes = [await ask(), await ask()].map(({ json }) => json.access.transfer as string);
    expect(new Set(codes).size).toBe(2);
    expect((await take(id, key, codes[1])).status).toBe(200);
  });
});
