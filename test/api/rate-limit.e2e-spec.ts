import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import compound from '../../src/asset-types/compound/compound.example.json' with { type: 'json' };
import { ASSETS, assetBody, change, create, createFrom, type Owned, post, publish } from '../support/assets.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { EventClient } from '../support/event-client.js';
import { addAssets } from '../support/many-assets.js';
import { type Reply, type Send, TestRegistry } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';

const [sqlite] = databases as [TestDatabaseKind];
/** So slow that no token is refilled during a test. */
const ENV = {
  RATE_LIMIT: 'on',
  BODY_LIMIT: '1mb',
  RATE_LIMIT_READS: '0.001/5',
  RATE_LIMIT_WRITES: '0.001/3',
  RATE_LIMIT_REFUSED_KEYS: '0.001/2',
  TRUST_PROXY: '127.0.0.1',
};

describe('a rate limit on SQLite', () => {
  const registry = servedRegistry(sqlite, ENV);
  const from = (address: string, path = ASSETS, options: Send = {}): Promise<Reply> =>
    registry.send(path, { ...options, headers: { ...options.headers, 'X-Forwarded-For': address } });
  const manyFrom = async (count: number, address: string, path?: string, options?: Send): Promise<Reply[]> => {
    const replies: Reply[] = [];
    for (let i = 0; i < count; i++) replies.push(await from(address, path, options));
    return replies;
  };
  const statuses = (replies: Reply[]): number[] => replies.map(({ status }) => status);

  it('lets a burst of reads of one address through, and answers 429 with Retry-After to more', async () => {
    const replies = await manyFrom(6, '192.0.2.1');
    expect(statuses(replies)).toEqual([200, 200, 200, 200, 200, 429]);
    const last = replies.at(-1) as Reply;
    const seconds = last.headers.get('retry-after');
    const rest = `in ${seconds} s; 5 reads at once and 0.001 a second are let through`;
    expectError(last, 429, 'header', 'rate_limit', `Too many requests: try again later, ${rest}`);
    expect(Number(seconds)).toBeGreaterThan(900);
  });

  it('reports the remaining requests with each answer', async () => {
    const [first, second] = (await manyFrom(2, '192.0.2.2')) as [Reply, Reply];
    expect(first.headers.get('ratelimit-policy')).toBe('"reads";q=5;w=5000');
    expect(first.headers.get('ratelimit')).toMatch(/^"reads";r=4;t=\d+$/);
    expect(second.headers.get('ratelimit')).toMatch(/^"reads";r=3;t=\d+$/);
  });

  it('counts the /64 network of an IPv6 address as one client', async () => {
    const addresses = Array.from({ length: 6 }, (_, i) => `2001:db8::${i + 1}`);
    const replies = await Promise.all(addresses.map((address) => from(address)));
    expect(statuses(replies).filter((status) => status === 429)).toHaveLength(1);
    expect((await from('2001:db8:0:1::1')).status).toBe(200);
  });

  it.each<[string, string]>([
    ['GET', '/api/0.1/nothing'],
    ['POST', '/wp-login.php'],
    ['DELETE', ASSETS],
  ])('counts requests without an action as reads: %s %s', async (method, path) => {
    const address = `198.51.${method.length}.${path.length}`;
    expect(statuses(await manyFrom(5, address, path, { method }))).toEqual([404, 404, 404, 404, 404]);
    expect(statuses([await from(address, path, { method }), await from(address)])).toEqual([429, 429]);
  });

  it('counts no preflight', async () => {
    expect(statuses(await manyFrom(6, '192.0.2.15', ASSETS, { method: 'OPTIONS' }))).not.toContain(429);
  });

  it.each(['/', '/changes.atom', '/docs/start.js'])('counts the page %s as a read', async (path) => {
    const address = `192.0.2.${100 + path.length}`;
    const [first] = await manyFrom(5, address, path);
    expect(first?.headers.get('ratelimit-policy')).toBe('"reads";q=5;w=5000');
    expect((await from(address)).status).toBe(429);
    expectError(await from(address, path), 429, 'header', 'rate_limit');
  });

  it('counts a large answer as several', async () => {
    const [item] = compound.data.items;
    const items = Array.from({ length: 400 }, (_, i) => ({ ...item, description: `${i} ${'ж'.repeat(300)}` }));
    const { id } = await createFrom(registry, { data: { ...compound.data, items } });
    const large = await from('192.0.2.20', `${ASSETS}/${id}`);
    const further = Math.floor(Buffer.byteLength(large.text) / (256 * 1024));
    expect(further).toBeGreaterThan(0);
    const next = await from('192.0.2.20');
    expect(next.headers.get('ratelimit')).toMatch(new RegExp(`^"reads";r=${5 - 1 - further - 1};`));
  });

  it('counts a digest of many assets as several', async () => {
    await TestRegistry.during(sqlite, ENV, async (many) => {
      await publish(many);
      await addAssets(many.databaseUrl, 3_000);
      const digest = await many.send(`${ASSETS}/digest`);
      expect(digest.json.data.count).toBe(3_001);
      expect((await many.send(ASSETS)).headers.get('ratelimit')).toMatch(/^"reads";r=2;/);
    });
  });

  describe('of an incompressible asset', () => {
    const BYTES_OF_A_READ = 256 * 1024;
    let large: TestRegistry;
    let owned: Owned;
    const readsLeft = async (address: string): Promise<number> => {
      const { headers } = await large.send(ASSETS, { headers: { 'X-Forwarded-For': address } });
      return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    };

    beforeAll(async () => {
      large = await TestRegistry.start(sqlite, { ...ENV, RATE_LIMIT_READS: '0.001/50', BODY_LIMIT: '1mb' });
      const [item] = compound.data.items;
      const items = Array.from({ length: 600 }, () => ({ ...item, description: randomBytes(600).toString('base64') }));
      owned = await createFrom(large, { data: { ...compound.data, items } });
      await change(large, owned, { status: 'pending' });
    });
    afterAll(() => large?.stop());

    it('counts the bytes of a snapshot', async () => {
      const headers = { 'X-Forwarded-For': '192.0.2.30' };
      const { size } = await (await fetch(`${large.url}${ASSETS}/snapshot.jsonl.gz`, { headers })).blob();
      expect(size).toBeGreaterThan(BYTES_OF_A_READ);
      expect(await readsLeft('192.0.2.30')).toBe(50 - 1 - Math.floor(size / BYTES_OF_A_READ) - 1);
    });

    it('counts the bytes of an event stream, including live events', async () => {
      const headers = { 'X-Forwarded-For': '192.0.2.31' };
      const follower = await EventClient.open(large.url, { query: '?opt_fields=*', headers });
      await follower.has(1);
      const before = await readsLeft('192.0.2.31');
      expect(before).toBeLessThan(50 - 1 - 1);
      await change(large, owned, { title: 'Інша' });
      await follower.has(2);
      follower.close();
      expect(await readsLeft('192.0.2.31')).toBeLessThan(before - 1);
    });
  });

  it('is checked after the 400 of a read', async () => {
    await manyFrom(6, '192.0.2.14');
    const asset = `${ASSETS}/${'0'.repeat(32)}`;
    const malformed: [path: string, name: string][] = [
      ['/api/0/assets?limit=x', 'limit'],
      [`${ASSETS}?offset=x`, 'offset'],
      [`${ASSETS}/digest?from=x`, 'from'],
      [`${ASSETS}/search?statuss=pending`, 'statuss'],
      [`${ASSETS}/search.csv?valueFrom=1`, 'valueFrom'],
      [`${ASSETS}/search.xlsx?lang=de`, 'lang'],
      [`${ASSETS}/x?at=2020-01-01&at=2020-01-02`, 'at'],
      [`${asset}/history?limit=0`, 'limit'],
    ];
    for (const [path, name] of malformed) expectError(await from('192.0.2.14', path), 400, 'header', name);
    expect((await from('192.0.2.14')).status).toBe(429);
  });

  it('counts writes by account, for any address', async () => {
    const write = { method: 'POST', key: 'broker2', body: assetBody() };
    const replies = await Promise.all([7, 8, 9, 10].map((n) => from(`192.0.2.${n}`, ASSETS, write)));
    expect(statuses(replies).toSorted((a, b) => a - b)).toEqual([201, 201, 201, 429]);
    expect((await post(registry, assetBody(), 'broker')).status).toBe(201);
  });

  it('counts refused keys by themselves, and other clients are not touched', async () => {
    const guess = { method: 'POST', key: 'guess', body: assetBody() };
    const replies = await manyFrom(3, '192.0.2.11', ASSETS, guess);
    expect(statuses(replies)).toEqual([401, 401, 429]);
    expect((await from('192.0.2.11')).status).toBe(200);
    expectError(await from('192.0.2.12', ASSETS, guess), 401, 'header', 'Authorization');
  });

  it('is checked after the key and before the role and the body', async () => {
    const write = { method: 'POST', key: 'concierge', body: '{', headers: { 'Content-Type': 'application/json' } };
    expect(statuses(await manyFrom(4, '192.0.2.13', ASSETS, write))).toEqual([403, 403, 403, 429]);
  });

  it('of whom no proxy vouches counts the address of the connection', async () => {
    await TestRegistry.during(sqlite, { ...ENV, TRUST_PROXY: '' }, async (direct) => {
      const replies: Reply[] = [];
      for (let i = 0; i < 6; i++)
        replies.push(await direct.send(ASSETS, { headers: { 'X-Forwarded-For': `192.0.2.${i}` } }));
      expect(statuses(replies).at(-1)).toBe(429);
    });
  });

  it('counts per client behind several proxies, if the first sends the client’s port', async () => {
    await TestRegistry.during(sqlite, { ...ENV, TRUST_PROXY: '127.0.0.0/8,10.0.0.0/8,fd00::/8' }, async (behind) => {
      for (const proxy of ['10.0.0.2:4433', '[fd00::2]:4433'])
        for (let i = 0; i < 6; i++) {
          const headers = { 'X-Forwarded-For': `192.0.2.${i}:5555, ${proxy}, 10.0.0.3` };
          expect((await behind.send(ASSETS, { headers })).status).toBe(200);
        }
    });
  });

  it('is off by default', async () => {
    await TestRegistry.during(sqlite, {}, async (open) => {
      const reply = await open.send(ASSETS);
      expect([reply.status, reply.headers.get('ratelimit')]).toEqual([200, null]);
      const owned = await create(open);
      for (let i = 0; i < 10; i++) expect((await change(open, owned, { title: `${i}` })).status).toBe(200);
    });
  });
});

describe('a proxy that is trusted, on SQLite', () => {
  const registry = servedRegistry(sqlite, { TRUST_PROXY: '127.0.0.0/8' });
  const listed = (headers: Record<string, string>): Promise<Reply> => registry.send(ASSETS, { headers });

  it('says which protocol links have', async () => {
    expect((await listed({ 'X-Forwarded-Proto': 'https' })).json.next_page.uri).toMatch(/^https:/);
  });

  it.each(['javascript', 'a>; rel="x", <b'])('and no other than http and https: %s', async (scheme) => {
    const { json, headers } = await listed({ 'X-Forwarded-Proto': scheme });
    expect(json.next_page.uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api/);
    expect(headers.get('link')).toBe(`<${json.next_page.uri}>; rel="next"`);
  });

  it('says nothing about the host of links', async () => {
    const spoofed = { 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example', 'X-Forwarded-Port': '1' };
    expect((await listed(spoofed)).text).not.toContain('evil');
  });

  it('and one that is not, does not', () =>
    TestRegistry.during(sqlite, {}, async (direct) => {
      const { json } = await direct.send(ASSETS, { headers: { 'X-Forwarded-Proto': 'https' } });
      expect(json.next_page.uri).toMatch(/^http:/);
    }));
});
