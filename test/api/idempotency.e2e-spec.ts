import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody, assetBodyWith, change, type JsonObject, publish, read } from '../support/assets.js';
import { databases } from '../support/databases.js';
import { expectError, expectFaultyFields } from '../support/errors.js';
import { type Reply, TestRegistry } from '../support/registry.js';
import { everythingStored, runSql } from '../support/rows.js';

const HOURS_24_US = 24 * 3_600 * 1_000_000;

describe.each(databases)('an Idempotency-Key on $name', (kind) => {
  let registry: TestRegistry;
  let other: TestRegistry;
  let counter = 0;

  const newKey = (): string => `order-${++counter}`;
  const send = (
    key: string,
    body: unknown = assetBody(),
    { account = 'broker', at = registry }: { account?: string; at?: TestRegistry } = {},
  ): Promise<Reply> =>
    at.send(ASSETS, {
      method: 'POST',
      key: account,
      body,
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    });
  const titled = async (title: string): Promise<JsonObject[]> => {
    return (await runSql(registry, `SELECT id FROM asset WHERE body LIKE '%"${title}"%'`)) as JsonObject[];
  };

  beforeAll(async () => {
    registry = await TestRegistry.start(kind);
    other = kind.name === 'SQLite' ? registry : await TestRegistry.startOn(registry.databaseUrl);
  });
  afterAll(async () => {
    if (other !== registry) await other?.stop();
    await registry?.stop();
  });

  it('makes a repeat give the first answer again, token, Location and ETag included', async () => {
    const key = newKey();
    const first = await send(key);
    const again = await send(key);
    expect(first.status).toBe(201);
    expect([again.status, again.text]).toEqual([201, first.text]);
    for (const name of ['location', 'etag']) expect(again.headers.get(name)).toBe(first.headers.get(name));
  });

  it('the first answer is given also when the asset has changed since', async () => {
    const key = newKey();
    const first = await send(key);
    const { access, data } = first.json;
    const owned = { id: data.id, token: access.token, asset: data };
    expect((await change(registry, owned, { status: 'pending', title: 'later' })).status).toBe(200);
    expect((await send(key)).text).toBe(first.text);
    expect((await read(registry, owned)).json.data.title).toBe('later');
  });

  it('those that arrive together, at any process, create one asset and get one answer', async () => {
    const [key, title] = [newKey(), `together ${counter}`];
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => send(key, assetBody({ title }), { at: i % 2 === 0 ? registry : other })),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(await titled(title)).toHaveLength(1);
  });

  it('with another body is refused, even if it means the same', async () => {
    const key = newKey();
    await send(key, JSON.stringify(assetBody()));
    for (const body of [JSON.stringify(assetBody({ title: 'other' })), `${JSON.stringify(assetBody())} `]) {
      expectError(await send(key, body), 422, 'header', 'Idempotency-Key');
    }
  });

  it('is refused before the fields are looked at', async () => {
    const key = newKey();
    await send(key);
    for (const body of [assetBodyWith('title', ''), assetBody({ owner: 'x' })])
      expectError(await send(key, body), 422, 'header', 'Idempotency-Key');
  });

  it('is refused after the body', async () => {
    const key = newKey();
    await send(key);
    expectError(await send(key, '{'), 422, 'body', 'data');
  });

  it('of another account is another key', async () => {
    const key = newKey();
    const [one, two] = [await send(key), await send(key, assetBody(), { account: 'broker2' })];
    expect(two.status).toBe(201);
    expect(two.json.data.id).not.toBe(one.json.data.id);
  });

  it('of a refused attempt is free', async () => {
    const key = newKey();
    expectFaultyFields(await send(key, assetBodyWith('title', '')), 422, ['title']);
    expect((await send(key)).status).toBe(201);
  });

  it('after 24 hours creates another asset', async () => {
    const key = newKey();
    const first = await send(key);
    await runSql(registry, `UPDATE receipt SET created_us = created_us - ${HOURS_24_US + 1_000_000}`);
    const again = await send(key, assetBody({ title: 'another day' }));
    expect(again.status).toBe(201);
    expect(again.json.data.id).not.toBe(first.json.data.id);
    expect((await send(key, assetBody({ title: 'another day' }))).text).toBe(again.text);
  });

  it.each([
    ['a space', 'a b'],
    ['129 characters', 'k'.repeat(129)],
    ['a letter beyond ASCII', 'cl\u00e9'],
  ])('of %s is 400', async (_, key) => {
    expectError(await send(key), 400, 'header', 'Idempotency-Key');
  });

  it.each([['k'.repeat(128)], ['!"#$%&~']])('may be %s', async (key) => {
    expect((await send(`${key}`)).status).toBe(201);
  });

  it('is reported before a missing broker key', async () => {
    const reply = await registry.send(ASSETS, {
      method: 'POST',
      body: assetBody(),
      headers: { 'Idempotency-Key': 'a b' },
    });
    expectError(reply, 400, 'header', 'Idempotency-Key');
  });

  it('is ignored by reads and changes', async () => {
    const owned = await publish(registry);
    const headers = { 'Idempotency-Key': 'a b', 'X-Access-Token': owned.token };
    expect((await registry.send(ASSETS, { headers })).status).toBe(200);
    const patch = { method: 'PATCH', key: 'broker', headers, body: { data: { title: 'x' } } };
    expect((await registry.send(`${ASSETS}/${owned.id}`, patch)).status).toBe(200);
  });

  it('nothing that is stored is the token, the key, or made of one of them alone', async () => {
    const key = newKey();
    const { access } = (await send(key)).json;
    const stored = await everythingStored(registry);
    expect(stored).not.toContain(access.token);
    expect(stored).not.toContain(key);
  });
});
