import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { secretDigest } from '../../src/auth/api-key.js';
import {
  ASSETS,
  assetBody,
  change,
  changeAs,
  create,
  createIn,
  LOT,
  type Owned,
  publish,
  read,
} from '../support/assets.js';
import { command } from '../support/commands.js';
import { databases } from '../support/databases.js';
import { beginning, expectError } from '../support/errors.js';
import { loadServiceHere } from '../support/loaded-service.js';
import { exchangeOne, head } from '../support/raw-socket.js';
import { basic, type Reply, type Send, TestRegistry } from '../support/registry.js';
import { addKey, everythingStored, runSql } from '../support/rows.js';
import { until } from '../support/until.js';

loadServiceHere();

const CODE = /^[0-9a-f]{32}$/;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe.each(databases)('the transfer of an asset to another broker on $name', (kind) => {
  let registry: TestRegistry;
  /** The service's hourly tasks. */
  let hourly: (() => void)[];

  beforeAll(async () => {
    const timers = jest.spyOn(globalThis, 'setInterval');
    registry = await TestRegistry.start(kind, { BODY_LIMIT: '4kb' });
    hourly = timers.mock.calls.filter(([, ms]) => ms === HOUR_MS).map(([work]) => work);
    timers.mockRestore();
  });
  afterAll(() => registry?.stop());

  const askFor = (id: string, options: Send = {}): Promise<Reply> =>
    registry.send(`${ASSETS}/${id}/transfer`, { method: 'POST', key: 'broker', ...options });
  const withToken = ({ token }: Owned): Send => ({ headers: { 'X-Access-Token': token } });
  const take = (id: string, transfer: unknown, key = 'broker2'): Promise<Reply> =>
    registry.send(`${ASSETS}/${id}/ownership`, { method: 'POST', key, body: { access: { transfer } } });

  async function codeOf(owned: Owned): Promise<string> {
    const reply = await askFor(owned.id, withToken(owned));
    if (reply.status !== 201) throw new Error(`${reply.status}: ${reply.text}`);
    return reply.json.access.transfer as string;
  }
  const expectCodeRefused = (reply: Reply): void => expectError(reply, 403, 'body', 'access.transfer');

  describe('the code', () => {
    it('is deleted within an hour after it expires, like a receipt after its day; others stay', async () => {
      const receive = (title: string): Promise<Reply> =>
        registry.send(ASSETS, {
          method: 'POST',
          key: 'broker',
          body: assetBody({ title }),
          headers: { 'Idempotency-Key': title },
        });
      const [expired, living] = [await publish(registry), await publish(registry)];
      for (const owned of [expired, living]) await codeOf(owned);
      const [old, young] = [await receive('old'), await receive('young')].map(({ json }) => json.data.id as string);
      await runSql(registry, 'UPDATE transfer_code SET expires_us = 1 WHERE id = ?', [expired.id]);
      await runSql(registry, 'UPDATE receipt SET created_us = 1 WHERE asset_id = ?', [old]);
      const kept = (id = '') =>
        runSql(registry, 'SELECT id FROM transfer_code WHERE id = ? UNION SELECT id FROM receipt WHERE asset_id = ?', [id, id]); // prettier-ignore
      for (const work of hourly) work();
      for (const id of [expired.id, old]) await until(async () => JSON.stringify(await kept(id)) === '[]');
      for (const id of [living.id, young]) expect(await kept(id)).toHaveLength(1);
    });

    it.each<[string, (of: { account: string; keyId: string; asset: string }) => string]>([
      ['token reissue', ({ asset }) => asset],
      ['key revoke', ({ keyId }) => keyId],
      ['account disable', ({ account }) => account],
    ])('is invalidated by `%s` of its issuer, and no other code is', async (words, subject) => {
      const account = words.replace(' ', '-');
      const key = await addKey(registry, { account });
      const [{ id: keyId }] = (await runSql(registry, 'SELECT id FROM api_key WHERE digest = ?', [
        secretDigest(key),
      ])) as [{ id: string }];
      const { json } = await registry.send(ASSETS, { method: 'POST', key, body: assetBody() });
      const { id, token } = { id: json.data.id, token: json.access.token };
      const code = (await askFor(id, { key, headers: { 'X-Access-Token': token } })).json.access.transfer as string;
      const other = await publish(registry);
      const othersCode = await codeOf(other);

      const args = [...words.split(' '), subject({ account, keyId, asset: id })];
      expect((await command(args, { DATABASE_URL: registry.databaseUrl })).code).toBe(0);
      expectCodeRefused(await take(id, code));
      expect((await take(other.id, othersCode)).status).toBe(200);
    });

    it('cannot be asked for, or used, to try only', async () => {
      const owned = await publish(registry);
      const code = await codeOf(owned);
      for (const resource of ['transfer', 'ownership']) {
        const reply = await registry.send(`${ASSETS}/${owned.id}/${resource}?dry_run=1`, {
          method: 'POST',
          key: 'broker2',
        });
        expectError(reply, 400, 'header', 'dry_run');
      }
      expect((await take(owned.id, code)).status).toBe(200);
    });

    it('is shown once, is good for 30 days, and changes nothing that anyone sees', async () => {
      const owned = await publish(registry);
      const before = await read(registry, owned);
      const reply = await askFor(owned.id, withToken(owned));
      expect(reply.status).toBe(201);
      expect(reply.headers.get('cache-control')).toBe('no-store');
      expect(reply.json).toEqual({
        access: { transfer: expect.stringMatching(CODE) },
        data: { expires: expect.any(String) },
      });
      const days = (Date.parse(reply.json.data.expires) - Date.now()) / DAY_MS;
      expect(Math.abs(days - 30)).toBeLessThan(0.1);
      expect(await read(registry, owned)).toMatchObject({ text: before.text, status: 200 });
      const newest = await registry.send(`${ASSETS}?descending=1&limit=1`);
      expect(newest.json.data).toEqual([{ id: owned.id, dateModified: owned.asset.dateModified }]);
      expect(await everythingStored(registry)).not.toContain(reply.json.access.transfer);
    });

    it('is given for the owner token in the query, and to the administrator without one', async () => {
      const owned = await create(registry);
      const path = `/api/0/assets/${owned.id}/transfer`;
      const inQuery = `${path}?acc_token=${owned.token}`;
      expect((await registry.send(inQuery, { method: 'POST', key: 'broker' })).status).toBe(201);
      expect((await registry.send(path, { method: 'POST', key: 'administrator' })).status).toBe(201);
    });

    it.each(['draft', 'pending'])('is given out while the asset is %s', async (status) => {
      const owned = await createIn(registry, status);
      expect((await askFor(owned.id, withToken(owned))).status).toBe(201);
      expect((await askFor(owned.id, { key: 'administrator' })).status).toBe(201);
    });

    it.each(['active', 'deleted'])('is refused while the asset is %s', async (status) => {
      const owned = await createIn(registry, status);
      const text = beginning(`Can't update asset in current (${status}) status`);
      expectError(await askFor(owned.id, withToken(owned)), 403, 'body', 'data', text);
      expectError(await askFor(owned.id, { key: 'administrator' }), 403, 'body', 'data', text);
    });

    it('is refused to all but the owner and the administrator', async () => {
      const owned = await publish(registry);
      expectError(await askFor(owned.id), 403, 'header', 'X-Access-Token');
      expectError(await askFor(owned.id, { headers: { 'X-Access-Token': 'x' } }), 403, 'header', 'X-Access-Token');
      expectError(await askFor(owned.id, { body: { access: { token: 5 } } }), 403, 'body', 'access.token');
      expectError(await askFor(owned.id, { ...withToken(owned), key: 'broker2' }), 403, 'header', 'X-Access-Token');
      expectError(await askFor(owned.id, { ...withToken(owned), key: 'concierge' }), 403, 'header', 'Authorization');
      expectError(await askFor('0'.repeat(32), withToken(owned)), 404, 'header', 'id');
      expectError(await askFor(owned.asset.assetID, withToken(owned)), 404, 'header', 'id');
    });
  });

  describe('taking it over', () => {
    it('makes another broker its owner, with a new token, and ends the old token and the code', async () => {
      const owned = await publish(registry);
      const code = await codeOf(owned);
      const taken = await take(owned.id, code);
      expect(taken.status).toBe(200);
      expect(taken.headers.get('cache-control')).toBe('no-store');
      const { access, data } = taken.json as { access: { token: string }; data: Owned['asset'] };
      expect(access).toEqual({ token: expect.stringMatching(CODE) });
      expect(access.token).not.toBe(owned.token);
      expect(data).toEqual({ ...owned.asset, owner: 'broker2', dateModified: data.dateModified });
      expect(data.dateModified > owned.asset.dateModified).toBe(true);

      const shown = await read(registry, owned);
      expect(shown.json).toEqual({ data });
      expect(shown.headers.get('etag')).toBe(taken.headers.get('etag'));
      const newest = await registry.send(`${ASSETS}?descending=1&limit=1&opt_fields=owner`);
      expect(newest.json.data).toEqual([{ id: owned.id, dateModified: data.dateModified, owner: 'broker2' }]);

      expectError(await change(registry, owned, { title: 'x' }), 403, 'header', 'X-Access-Token');
      expectError(await change(registry, { ...owned, token: access.token }, {}), 403, 'header', 'X-Access-Token');
      const own = await change(registry, { ...owned, token: access.token }, { title: 'x' }, 'broker2');
      expect(own.json.data).toMatchObject({ title: 'x', owner: 'broker2' });
      expectCodeRefused(await take(owned.id, code));
      expectCodeRefused(await take(owned.id, code, 'broker'));
      expect(await everythingStored(registry)).not.toContain(access.token);
    });

    it('shows later owners in its history, but no owner of the draft', async () => {
      const owned = await create(registry);
      const first = await take(owned.id, await codeOf(owned));
      const asSecond = { ...owned, token: first.json.access.token as string };
      const published = await change(registry, asSecond, { status: 'pending' }, 'broker2');
      const asked = await askFor(owned.id, { key: 'broker2', headers: { 'X-Access-Token': asSecond.token } });
      const third = await addKey(registry, { account: `third-${owned.id}` });
      const second = await take(owned.id, asked.json.access.transfer, third);
      const changed = await change(registry, { ...owned, token: second.json.access.token }, { title: 'x' }, third);

      const owner = `third-${owned.id}`;
      const { json } = await registry.send(`${ASSETS}/${owned.id}/history`);
      expect(json.data).toEqual([
        { dateModified: published.json.data.dateModified, status: 'pending' },
        { dateModified: second.json.data.dateModified, status: 'pending', owner, changed: ['owner'] },
        { dateModified: changed.json.data.dateModified, status: 'pending', changed: ['title'] },
      ]);
      for (const { json: state } of [published, second, changed]) {
        const at = encodeURIComponent(state.data.dateModified);
        expect((await registry.send(`${ASSETS}/${owned.id}?at=${at}`)).json.data).toEqual(state.data);
      }
      const page = await registry.send(`/assets/${owned.asset.assetID}?lang=en`);
      expect(page.text).toContain(`Broker: <del>broker2</del> → <ins>${owner}</ins>`);
    });

    it('knows the owner from before histories recorded it', async () => {
      const owned = await publish(registry);
      const states = [owned.asset];
      for (const title of ['a', 'b']) states.push((await change(registry, owned, { title })).json.data);
      await runSql(registry, 'UPDATE revision SET owner = NULL WHERE asset = ?', [owned.id]);
      const wasAt = async (dateModified: string): Promise<unknown> =>
        (await registry.send(`${ASSETS}/${owned.id}?at=${encodeURIComponent(dateModified)}`)).json.data;
      for (const state of states) expect(await wasAt(state.dateModified)).toEqual(state);
      expect((await take(owned.id, await codeOf(owned))).status).toBe(200);
      for (const state of states) expect(await wasAt(state.dateModified)).toEqual(state);
    });

    it('is refused in the same words whatever is wrong with the code', async () => {
      const [owned, other, expired, replaced] = [
        await publish(registry),
        await publish(registry),
        await publish(registry),
        await publish(registry),
      ];
      const code = await codeOf(owned);
      const replies = [
        await take(owned.id, await codeOf(other)),
        await take(owned.id, code, 'broker'),
        await take(owned.id, owned.token),
        await take(owned.id, undefined),
        await take(owned.id, 5),
        await take(owned.id, [code]),
      ];
      for (const body of [{}, { access: null }])
        replies.push(await registry.send(`${ASSETS}/${owned.id}/ownership`, { method: 'POST', key: 'broker2', body }));
      const old = await codeOf(replaced);
      const renewed = await codeOf(replaced);
      replies.push(await take(replaced.id, old));
      const late = await codeOf(expired);
      await runSql(registry, 'UPDATE transfer_code SET expires_us = 1 WHERE id = ?', [expired.id]);
      replies.push(await take(expired.id, late));
      const taken = await publish(registry);
      const used = await codeOf(taken);
      expect((await take(taken.id, used)).status).toBe(200);
      replies.push(await take(taken.id, used, 'broker'));

      for (const reply of replies) expectCodeRefused(reply);
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
      expect((await read(registry, owned)).json.data).toEqual(owned.asset);
      // None of that has used up a code.
      expect((await take(owned.id, code)).status).toBe(200);
      expect((await take(replaced.id, renewed)).status).toBe(200);
    });

    it('waits while the owner may not change the asset', async () => {
      const owned = await publish(registry);
      const code = await codeOf(owned);
      await changeAs(registry, 'concierge', owned.id, { status: 'active', relatedLot: LOT });
      const text = beginning("Can't update asset in current (active) status");
      expectError(await take(owned.id, code), 403, 'body', 'data', text);
      expectCodeRefused(await take(owned.id, 'f'.repeat(32)));
      await changeAs(registry, 'concierge', owned.id, { status: 'pending' });
      const taken = await take(owned.id, code);
      expect(taken.json.data).toMatchObject({ owner: 'broker2', relatedLot: LOT });
    });
  });

  describe('at the same moment', () => {
    it('a concurrent new code for the old owner either replaces the used one or is refused', async () => {
      const owned = await publish(registry);
      const code = await codeOf(owned);
      const [taken, asked] = await Promise.all([take(owned.id, code), askFor(owned.id, withToken(owned))]);
      expect([
        [200, 403],
        [403, 201],
      ]).toContainEqual([taken.status, asked.status]);
      const { owner } = (await read(registry, owned)).json.data as { owner: string };
      expect(owner).toBe(taken.status === 200 ? 'broker2' : 'broker');
      expect(await runSql(registry, 'SELECT id FROM transfer_code WHERE id = ?', [owned.id])).toHaveLength(
        taken.status === 200 ? 0 : 1,
      );
    });

    it('many new codes: the last one is good, and no other', async () => {
      const owned = await publish(registry);
      const codes = await Promise.all(Array.from({ length: 10 }, () => codeOf(owned)));
      const statuses: number[] = [];
      for (const code of codes) statuses.push((await take(owned.id, code)).status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => status === 403)).toHaveLength(9);
    });
  });

  describe.each(['transfer', 'ownership'])('POST …/%s', (action) => {
    let owned: Owned;
    const send = (options: Send): Promise<Reply> =>
      registry.send(`${ASSETS}/${owned.id}/${action}`, { method: 'POST', ...options });
    const JSON_TYPE = { 'Content-Type': 'application/json' };

    beforeAll(async () => {
      owned = await publish(registry);
    });

    it.each<[string, number, 'header' | 'body', string, Send]>([
      ['another media type before the key', 415, 'header', 'Content-Type', { key: 'unknown', body: '{}' }],
      [
        'a coding',
        415,
        'header',
        'Content-Encoding',
        { headers: { ...JSON_TYPE, 'Content-Encoding': 'gzip' }, body: '{}' },
      ],
      ['a key before the role', 401, 'header', 'Authorization', { key: 'unknown', body: {} }],
      ['the role before the body', 403, 'header', 'Authorization', { key: 'concierge', headers: JSON_TYPE, body: '{' }],
      ['a body that is too large', 413, 'body', 'data', { key: 'broker', headers: JSON_TYPE, body: ' '.repeat(5_000) }],
      ['a body that is no JSON', 422, 'body', 'data', { key: 'broker', headers: JSON_TYPE, body: '{' }],
    ])('refuses %s: %i', async (_, status, location, name, options) => {
      expectError(await send(options), status, location, name);
    });
  });

  it('cannot change owners if its type is no longer installed, and a wrong code does not reveal that', async () => {
    const owned = await publish(registry);
    const code = await codeOf(owned);
    await runSql(registry, "UPDATE asset SET asset_type = 'gone' WHERE id = ?", [owned.id]);
    const description = "Can't update asset in current (pending) status: its asset type gone is not installed";
    expectError(await askFor(owned.id, withToken(owned)), 403, 'body', 'data', description);
    expectError(await askFor(owned.id, { key: 'administrator' }), 403, 'body', 'data', description);
    expectCodeRefused(await take(owned.id, 'f'.repeat(32)));
    expectError(await take(owned.id, code), 403, 'body', 'data', description);
    await runSql(registry, "UPDATE asset SET asset_type = 'basic' WHERE id = ?", [owned.id]);
    expect((await take(owned.id, code)).status).toBe(200);
  });

  it('a body without a media type is not JSON, however it is sent', async () => {
    const owned = await publish(registry);
    const lines = [
      `Authorization: ${basic('broker')}`,
      `X-Access-Token: ${owned.token}`,
      'Host: x',
      'Connection: close',
    ];
    const request = head(`POST ${ASSETS}/${owned.id}/transfer HTTP/1.1`, ...lines, 'Transfer-Encoding: chunked');
    expectError(await exchangeOne(registry.url, `${request}2\r\n{}\r\n0\r\n\r\n`), 415, 'header', 'Content-Type');
    expect((await exchangeOne(registry.url, `${request}0\r\n\r\n`)).status).toBe(201);
    const without = head(`POST ${ASSETS}/${owned.id}/transfer HTTP/1.1`, ...lines);
    expect((await exchangeOne(registry.url, without)).status).toBe(201);
    const ownership = head(`POST ${ASSETS}/${owned.id}/ownership HTTP/1.1`, ...lines);
    expectError(await exchangeOne(registry.url, ownership), 415, 'header', 'Content-Type');
  });
});
