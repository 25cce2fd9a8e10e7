import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody, create, type Owned, post } from '../support/assets.js';
import { databases, embedded } from '../support/databases.js';
import { expectError, faultsOf } from '../support/errors.js';
import { basic, type Reply } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { addKey, everythingStored, runSql } from '../support/rows.js';
import { until } from '../support/until.js';

const HOUR_MS = 60 * 60 * 1_000;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const WRONG = 'f'.repeat(32);

/** Values of Authorization without a valid broker key. */
const REFUSED: [string, string][] = [
  ['an unknown key', basic('unknown')],
  ['an empty key', basic('')],
  ['a key in another case', basic('Broker')],
  ['the key as the password', `Basic ${base64(':broker')}`],
  ['Basic without a colon', `Basic ${base64('broker')}`],
  ['Basic that is no base64', 'Basic %%%'],
  ['an unknown Bearer', 'Bearer unknown'],
  ['another scheme', 'Digest broker'],
];

interface SentToken {
  query?: string;
  header?: string;
  access?: unknown;
}

describe.each(embedded)('keys and tokens on $name', (kind) => {
  const registry = servedRegistry(kind);
  let owned: Owned;

  const postAs = (authorization: string): Promise<Reply> =>
    registry.send(ASSETS, { method: 'POST', headers: { Authorization: authorization }, body: assetBody() });
  const changeAs = (authorization: string): Promise<Reply> =>
    registry.send(`${ASSETS}/${owned.id}?acc_token=${owned.token}`, {
      method: 'PATCH',
      headers: { Authorization: authorization },
      body: { data: {} },
    });
  /** PATCH with the owner token in some of its places. */
  const changeWith = ({ query, header, access }: SentToken, key = 'broker'): Promise<Reply> =>
    registry.send(`${ASSETS}/${owned.id}${query === undefined ? '' : `?acc_token=${query}`}`, {
      method: 'PATCH',
      key,
      headers: header === undefined ? {} : { 'X-Access-Token': header },
      body: { data: {}, access },
    });

  beforeAll(async () => {
    owned = await create(registry);
  });

  describe('the API key', () => {
    it.each([
      ['the user name of Basic', basic('broker')],
      ['with any password', `Basic ${base64('broker:anything:at all')}`],
      ['Bearer', 'Bearer broker'],
      ['bearer', 'bearer broker'],
    ])('is taken: %s', async (_what, authorization) => {
      expect((await postAs(authorization)).status).toBe(201);
      expect((await changeAs(authorization)).status).toBe(200);
    });

    it('that expires later is accepted', async () => {
      const key = await addKey(registry, { account: 'later', expires: new Date(Date.now() + HOUR_MS) });
      expect((await postAs(basic(key))).status).toBe(201);
    });
  });

  describe('401', () => {
    it.each(REFUSED)('is the answer to %s', async (_what, authorization) => {
      expectError(await postAs(authorization), 401, 'header', 'Authorization');
      expectError(await changeAs(authorization), 401, 'header', 'Authorization');
    });

    it('does not make the browser ask for a password if a script sent the request', async () => {
      const headers = { 'X-Requested-With': 'swagger-ui' };
      const refused = await registry.send(ASSETS, { method: 'POST', headers, body: assetBody() });
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="registry"']);
    });

    it('has the same body and WWW-Authenticate in every case', async () => {
      const past = new Date(Date.now() - HOUR_MS);
      const replies = [
        await registry.send(ASSETS, { method: 'POST', body: assetBody() }),
        await postAs(basic('unknown')),
        await postAs('malformed'),
        await postAs(`Basic ${base64('broker')}`),
        await postAs(basic((await addKey(registry, { account: 'cut off' })).slice(0, -1))),
        await postAs(basic(await addKey(registry, { account: 'expired too', expires: past }))),
        await postAs(basic(await addKey(registry, { account: 'revoked too', revoked: past }))),
        await changeAs(basic('unknown')),
      ];
      for (const reply of replies) {
        expect(reply.status).toBe(401);
        expect(reply.text).toBe(replies[0]?.text);
        expect(reply.headers.get('www-authenticate')).toBe('Basic realm="registry"');
      }
    });

    it('explains how to send a key, and how long a complete key is', async () => {
      const [fault] = faultsOf(await postAs('malformed'), 401);
      const [matched, prefix, length] =
        /user name of HTTP Basic.* begins with (\w+) and has (\d+) char/.exec(String(fault?.description)) ?? [];
      expect(matched).toBeDefined();
      const key = await addKey(registry, { account: 'whole' });
      expect([key.slice(0, prefix?.length), String(key.length)]).toEqual([prefix, length]);
    });
  });

  describe('reads', () => {
    it.each([['a right key', basic('broker')], ...REFUSED])('ignore any key that is sent: %s', async (_what, sent) => {
      const headers = { Authorization: sent };
      expect((await registry.send(`${ASSETS}/${owned.id}`, { headers })).status).toBe(200);
      expect((await registry.send(`${ASSETS}?limit=1`, { headers })).status).toBe(200);
      expect((await registry.send('/api/0.1/spore', { headers })).status).toBe(200);
    });
  });

  it.each(['concierge', 'administrator'])('the role %s may not create: 403', async (key) => {
    expectError(await post(registry, assetBody(), key), 403, 'header', 'Authorization');
  });

  describe('the owner token', () => {
    it.each<[string, (token: string) => SentToken]>([
      ['acc_token', (token) => ({ query: token })],
      ['X-Access-Token', (token) => ({ header: token })],
      ['access.token', (token) => ({ access: { token } })],
      ['acc_token before the others', (token) => ({ query: token, header: WRONG, access: { token: WRONG } })],
      ['X-Access-Token before access.token', (token) => ({ header: token, access: { token: WRONG } })],
      ['access.token where the others are empty', (token) => ({ query: '', header: '', access: { token } })],
    ])('is taken from %s', async (_what, sent) => {
      expect((await changeWith(sent(owned.token))).status).toBe(200);
    });

    it.each<[string, (token: string) => SentToken, 'header' | 'body', string]>([
      ['none', () => ({}), 'header', 'X-Access-Token'],
      ['empty ones', () => ({ query: '', header: '', access: { token: '' } }), 'header', 'X-Access-Token'],
      ['a wrong acc_token', (token) => ({ query: WRONG, header: token, access: { token } }), 'header', 'acc_token'],
      ['a wrong X-Access-Token', (token) => ({ header: WRONG, access: { token } }), 'header', 'X-Access-Token'],
      ['a wrong access.token', () => ({ access: { token: WRONG } }), 'body', 'access.token'],
      ['a part of the token', (token) => ({ query: token.slice(0, -1) }), 'header', 'acc_token'],
    ])('%s is 403', async (_what, sent, location, name) => {
      expectError(await changeWith(sent(owned.token)), 403, location, name);
    });

    it.each([5, null, {}])('which is no string counts as wrong: %p', async (token) => {
      expectError(await changeWith({ access: { token } }), 403, 'body', 'access.token');
    });

    it.each([null, 'text', [{ token: WRONG }], { Token: WRONG }])(
      'access that is null, empty or of another kind is ignored: %j',
      async (access) => {
        expect((await changeWith({ access, header: owned.token })).status).toBe(200);
        expectError(await changeWith({ access }), 403, 'header', 'X-Access-Token');
      },
    );

    it('of another asset is wrong', async () => {
      const other = await create(registry);
      expectError(await changeWith({ query: other.token }), 403, 'header', 'acc_token');
    });

    it('does not open another broker’s asset', async () => {
      expectError(await changeWith({ header: owned.token }, 'broker2'), 403, 'header', 'X-Access-Token');
      expectError(await changeWith({}, 'broker2'), 403, 'header', 'X-Access-Token');
      const theirs = await create(registry, {}, 'broker2');
      expectError(await changeWith({ header: theirs.token }, 'broker2'), 403, 'header', 'X-Access-Token');
    });
  });

  it('unknown members next to data are ignored', async () => {
    const body = { ...assetBody(), access: { token: 5 }, config: null, risk: [1] };
    expect((await post(registry, body)).status).toBe(201);
    const reply = await registry.send(`${ASSETS}/${owned.id}?acc_token=${owned.token}`, {
      method: 'PATCH',
      key: 'broker',
      body: { data: {}, extra: { id: 'x' } },
    });
    expect([reply.status, reply.json.data.id]).toEqual([200, owned.id]);
  });

  describe('secrets', () => {
    it('keys and tokens are stored as digests only', async () => {
      const key = await addKey(registry, { account: 'secret' });
      const { id, token } = await create(registry, {}, key);
      const stored = await everythingStored(registry);
      const encoded = Buffer.from(token, 'hex').toString('base64').slice(0, 20);
      for (const secret of [key, token, encoded, basic(key).slice('Basic '.length)])
        expect(stored).not.toContain(secret);
      expect(stored).toContain(id);
      expect(stored).toContain(createHash('sha256').update(token).digest('hex'));
    });
  });
});

describe('a key whose account is disabled while the body is being sent', () => {
  const registry = servedRegistry(databases[0] as (typeof databases)[0]);

  it.each([
    ['POST', '', 'broker'],
    ['PATCH', '/:id', 'broker'],
    ['POST', '/:id/transfer', 'broker'],
  ] as const)('is refused by %s /assets%s', async (method, path, role) => {
    const account = `${method}${path.replace(/\W/g, '-')}`;
    const key = await addKey(registry, { account, role });
    const { id } = await create(registry);
    const body = JSON.stringify(assetBody());
    const headers = {
      Authorization: basic(key),
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    };
    const sent = request(`${registry.url}${ASSETS}${path.replace(':id', id)}`, { method, headers });
    sent.write(body.slice(0, 1));
    const usedDay = async (): Promise<unknown> =>
      runSql(registry, 'SELECT used_day FROM api_key WHERE digest = ? AND used_day IS NOT NULL', [
        createHash('sha256').update(key).digest('hex'),
      ]);
    await until(async () => ((await usedDay()) as unknown[]).length > 0);
    await runSql(registry, 'UPDATE account SET disabled_us = 1 WHERE name = ?', [account]);
    sent.end(body.slice(1));
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect([answer.statusCode, await textOf(answer)]).toEqual([401, expect.stringContaining('"Authorization"')]);
  });
});
