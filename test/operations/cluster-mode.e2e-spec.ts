import { describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody, change, create, post } from '../support/assets.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { retryUnavailable } from '../support/retry-unavailable.js';
import { exchangeOne, head } from '../support/raw-socket.js';
import { type Reply, type Send, TestRegistry } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';

const [sqlite] = databases as [TestDatabaseKind];

describe('cluster mode on SQLite', () => {
  const registry = servedRegistry(sqlite, { CLUSTER_SERVER_ID: 'one' });
  const sendWith = (cookie: string, path: string, options: Send = {}): Promise<Reply> =>
    registry.send(path, { ...options, headers: { Cookie: cookie, ...options.headers } });
  const member = { send: (path: string, options?: Send) => sendWith('SERVER_ID=one', path, options) };

  it.each([
    [ASSETS, 200],
    ['/api/0/assets', 200],
    [`${ASSETS}/nothing`, 404],
  ])('a read of %s without the cookie is given it', async (path, status) => {
    const reply = await registry.send(path);
    expect(reply.status).toBe(status);
    expect(reply.headers.get('set-cookie')).toMatch(/^SERVER_ID=one;/);
  });

  it('a write without the cookie is 412, and its repeat with the cookie is done', async () => {
    const reply = await post(registry, assetBody());
    expectError(reply, 412, 'header', 'Cookie');
    const cookie = String(reply.headers.get('set-cookie')).split(';')[0] as string;
    const repeat = await sendWith(cookie, ASSETS, { method: 'POST', key: 'broker', body: assetBody() });
    expect(repeat.status).toBe(201);
    expect(repeat.headers.get('set-cookie')).toBeNull();
  });

  it.each([
    ['a read', {}],
    ['a write', { method: 'POST', key: 'broker', body: assetBody() }],
  ])('%s with another server’s cookie is 412 with this one’s', async (_, options) => {
    const reply = await sendWith('SERVER_ID=two', ASSETS, options);
    expectError(reply, 412, 'header', 'Cookie');
    expect(reply.headers.get('set-cookie')).toMatch(/^SERVER_ID=one;/);
  });

  it('the cookie is found among others', async () => {
    const reply = await sendWith('a=b; SERVER_ID=one; MY_SERVER_ID=two', ASSETS);
    expect([reply.status, reply.headers.get('set-cookie')]).toEqual([200, null]);
  });

  it('an ETag that does not match is 412 without a cookie', async () => {
    const owned = await create(member);
    const headers = { 'If-Match': '"other"', 'X-Access-Token': owned.token };
    const reply = await sendWith('SERVER_ID=one', `${ASSETS}/${owned.id}`, { method: 'PATCH', key: 'broker', headers, body: { data: {} } }); // prettier-ignore
    expectError(reply, 412, 'header', 'If-Match');
    expect(reply.headers.get('set-cookie')).toBeNull();
    expect((await change(member, owned, { title: 'x' })).status).toBe(200);
  });

  it('is checked after malformed requests and before everything else', async () => {
    expectError(await registry.send(`${ASSETS}?limit=1&limit=2`, { method: 'POST' }), 400, 'header', 'limit');
    const reply = await registry.send(`${ASSETS}?limit=1&limit=2`);
    expect([reply.status, reply.headers.get('set-cookie')]).toEqual([400, expect.stringMatching(/^SERVER_ID=one;/)]);
    const headers = { 'Content-Type': 'text/plain' };
    expectError(await registry.send(ASSETS, { method: 'POST', headers, body: 'x' }), 412, 'header', 'Cookie');
  });

  it('is checked before an unknown Expect, whose refusal also sets the cookie', async () => {
    const refused = async (...cookie: string[]): Promise<(number | string | undefined)[]> => {
      const bytes = head(`GET ${ASSETS} HTTP/1.1`, 'Host: a', 'Expect: x', 'Connection: close', ...cookie);
      const { status, headers } = await exchangeOne(registry.url, bytes);
      return [status, headers.get('set-cookie')?.split(';')[0]];
    };
    expect(await refused()).toEqual([417, 'SERVER_ID=one']);
    expect(await refused('Cookie: SERVER_ID=one')).toEqual([417, undefined]);
    expect(await refused('Cookie: SERVER_ID=two')).toEqual([412, 'SERVER_ID=one']);
  });

  it.each(['/health/ready', '/'])('is not for supervisors and people: %s', async (path) => {
    const reply = await retryUnavailable(() => sendWith('SERVER_ID=two', path));
    expect([reply.status, reply.headers.get('set-cookie')]).toEqual([200, null]);
  });

  it('is off by default', async () => {
    await TestRegistry.during(sqlite, {}, async (single) => {
      const reply = await post(single, assetBody());
      expect([reply.status, reply.headers.get('set-cookie')]).toEqual([201, null]);
    });
  });
});
