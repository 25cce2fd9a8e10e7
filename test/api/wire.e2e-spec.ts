import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject, ParameterObject } from 'openapi3-ts/oas31';
import { ASSETS, assetBody, change, create, type Owned, post, publish, read } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { exchangeOne, head } from '../support/raw-socket.js';
import { basic, type Reply, TestRegistry } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';

const NOWHERE = `${ASSETS}/${'0'.repeat(32)}`;

describe.each(embedded)('on the wire on $name', (kind) => {
  const registry = servedRegistry(kind);
  let owned: Owned;

  /** One answer of each status. */
  const everyAnswer = async (): Promise<[number, Reply][]> => [
    [200, await registry.send(ASSETS)],
    [200, await read(registry, owned)],
    [200, await registry.send(`${ASSETS}/${owned.id}`, { method: 'HEAD' })],
    [200, await registry.send('/api/0.1/spore')],
    [200, await change(registry, owned, {})],
    [201, await post(registry, assetBody())],
    [400, await registry.send(`${ASSETS}?limit=0`)],
    [400, await registry.send('/%zz')],
    [401, await post(registry, assetBody(), 'unknown')],
    [403, await post(registry, assetBody(), 'concierge')],
    [404, await registry.send(NOWHERE)],
    [404, await registry.send('/nowhere')],
    [404, await registry.send(ASSETS, { method: 'DELETE' })],
    [413, await post(registry, ' '.repeat(1024 * 1024 + 1))],
    [415, await registry.send(ASSETS, { method: 'POST', key: 'broker', body: 'text' })],
    [422, await post(registry, '{')],
    [422, await change(registry, owned, { title: '' })],
  ];

  beforeAll(async () => {
    owned = await publish(registry);
  });

  describe('headers of every answer', () => {
    it('Content-Type is application/json exactly, and sniffing is forbidden', async () => {
      for (const [status, { status: answered, headers }] of await everyAnswer()) {
        expect(answered).toBe(status);
        expect([status, headers.get('content-type')]).toEqual([status, 'application/json']);
        expect([status, headers.get('x-content-type-options')]).toEqual([status, 'nosniff']);
      }
    });

    it('any origin may read, also errors', async () => {
      for (const [status, { headers }] of await everyAnswer()) {
        expect([status, headers.get('access-control-allow-origin')]).toEqual([status, '*']);
      }
    });

    it('a request id is made, another one for each answer', async () => {
      const ids = (await everyAnswer()).map(([, { headers }]) => headers.get('x-request-id') ?? '');
      for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
      expect(new Set(ids).size).toBe(ids.length);
    });
  });

  describe('X-Request-ID', () => {
    const echoed = async (path: string, id: string): Promise<string | null> =>
      (await registry.send(path, { headers: { 'X-Request-ID': id } })).headers.get('x-request-id');

    it.each(['A.b_c:d-e', 'x'.repeat(128)])('that the client sends is used: %s', async (id) => {
      for (const path of [ASSETS, NOWHERE, '/nowhere', '/%zz']) expect(await echoed(path, id)).toBe(id);
    });

    it.each(['x'.repeat(129), 'a b', '<a>', ''])('of other characters or length is replaced: %p', async (id) => {
      const answered = await echoed(ASSETS, id);
      expect(answered).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
      expect(answered).not.toBe(id);
    });
  });

  describe('opt_pretty', () => {
    const PATHS = [`${ASSETS}?opt_fields=*`, `${ASSETS}?descending=1&limit=1`, '/api/0.1/spore?x', '/nowhere?x'];
    /** Removes the parameter from links, which repeat it. */
    const withoutParameter = (text: string): string => text.replaceAll(/&?opt_pretty(?:=|%3D)\w*/g, '');

    it.each(['=1', '=true', '=yes'])('opt_pretty%s is the same JSON, indented by two spaces', async (value) => {
      for (const path of PATHS) {
        const [plain, pretty] = [await registry.send(path), await registry.send(`${path}&opt_pretty${value}`)];
        expect(pretty.status).toBe(plain.status);
        const lines = JSON.stringify(pretty.json, null, 2);
        // JavaScript prints 100.0 as 100.
        expect(pretty.text.replaceAll(/(\d)\.0(?=,?\n)/g, '$1')).toBe(lines);
        expect(JSON.parse(withoutParameter(JSON.stringify(pretty.json)))).toEqual(plain.json);
      }
    });

    it.each(['=0', '=False', '=no', '=OFF', '=', ''])('opt_pretty%s changes nothing', async (value) => {
      for (const path of PATHS) {
        const [plain, same] = [await registry.send(path), await registry.send(`${path}&opt_pretty${value}`)];
        expect(withoutParameter(same.text)).toBe(plain.text);
      }
    });

    it('works on any method', async () => {
      const posted = await registry.send(`${ASSETS}?opt_pretty=1`, {
        method: 'POST',
        key: 'broker',
        body: assetBody(),
      });
      const path = `${ASSETS}/${owned.id}?opt_pretty=1&acc_token=${owned.token}`;
      const patched = await registry.send(path, { method: 'PATCH', key: 'broker', body: { data: {} } });
      const refused = await registry.send(`${ASSETS}?opt_pretty=1`, { method: 'DELETE' });
      expect([posted.status, patched.status, refused.status]).toEqual([201, 200, 404]);
      expect(posted.text.startsWith('{\n  "access": {\n    "token": "')).toBe(true);
      expect(patched.text.startsWith('{\n  "data": {\n    "id": "')).toBe(true);
      expect(refused.text.startsWith('{\n  "status": "error",\n  "errors": [\n    {\n      "location"')).toBe(true);
    });

    it('leaves braces, colons and quotes within strings alone', async () => {
      const title = 'a:{"b":[1,2]},\\" c';
      const { id } = await create(registry, { title });
      const reply = await registry.send(`${ASSETS}/${id}?opt_pretty=1`);
      expect(reply.json.data.title).toBe(title);
      expect(reply.text).toContain(`\n    "title": ${JSON.stringify(title)},\n`);
    });
  });

  describe('OPTIONS', () => {
    it('answers a browser’s preflight', async () => {
      const headers = {
        Origin: 'https://example.org',
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'cache-control, if-none-match, x-request-id, x-requested-with',
      };
      const reply = await registry.send(ASSETS, { method: 'OPTIONS', headers });
      expect(reply.status).toBe(204);
      expect(reply.headers.get('access-control-allow-origin')).toBe('*');
      expect(reply.headers.get('access-control-allow-methods')).toMatch(/\bGET\b/);
      const allowed = reply.headers.get('access-control-allow-headers')?.toLowerCase().split(', ');
      for (const name of headers['Access-Control-Request-Headers'].split(', ')) expect(allowed).toContain(name);
    });

    it('lets the scripts of other sites send each header that a request may have', async () => {
      const { components } = (await registry.send('/api/0.1/openapi.json')).json as unknown as OpenAPIObject;
      const parameters = Object.values(components?.parameters ?? {}) as ParameterObject[];
      const sent = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
      const reply = await registry.send(ASSETS, { method: 'OPTIONS' });
      expect(reply.headers.get('access-control-allow-headers')?.split(', ')).toEqual(expect.arrayContaining(sent));
    });
  });

  describe('absolute links', () => {
    const get = (path: string, host: string): Promise<{ json: { next_page: { uri: string; path: string } } }> =>
      exchangeOne(registry.url, head(`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close'));

    it.each(['registry.example:8443', '[::1]:8080'])('come from the Host header: %s', async (host) => {
      const { next_page: next } = (await get(ASSETS, host)).json;
      expect(next.uri).toBe(`http://${host}${next.path}`);
      const body = JSON.stringify(assetBody());
      const requestHead = head(
        `POST ${ASSETS} HTTP/1.1`,
        `Host: ${host}`,
        'Connection: close',
        'Content-Type: application/json',
        `Authorization: ${basic('broker')}`,
        `Content-Length: ${Buffer.byteLength(body)}`,
      );
      const created = await exchangeOne(registry.url, requestHead + body);
      expect(created.headers.get('location')).toBe(`http://${host}${ASSETS}/${created.json.data.id}`);
    });

    it.each(['https://registry.example/base', 'https://registry.example/'])(
      'come from PUBLIC_URL when it is set: %s',
      (publicUrl) =>
        TestRegistry.during(kind, { PUBLIC_URL: publicUrl }, async (other) => {
          const base = publicUrl.replace(/\/$/, '');
          const reply = await post(other, assetBody());
          expect(reply.headers.get('location')).toBe(`${base}${ASSETS}/${reply.json.data.id}`);
          const listed = await other.send(`${ASSETS}?descending=1`);
          const { next_page: next, prev_page: prev } = listed.json;
          expect([next.uri, prev.uri]).toEqual([base + next.path, base + prev.path]);
          expect(listed.headers.get('link')).toBe(`<${next.uri}>; rel="next"`);
          const { id, asset } = await publish(other);
          const byNumber = await other.send(`${ASSETS}/${asset.assetID}`);
          expect(byNumber.headers.get('content-location')).toBe(new URL(`${base}${ASSETS}/${id}`).pathname);
        }),
    );
  });

  describe('spore', () => {
    it.each(['/api/0.1/spore', '/api/0/spore'])('%s is a small JSON service description', async (path) => {
      const reply = await registry.send(path);
      expect(reply.status).toBe(200);
      expect(reply.json).toMatchObject({
        name: expect.any(String),
        version: expect.any(String),
        limits: expect.any(Object),
        methods: expect.any(Object),
      });
      expect(reply.text.length).toBeLessThan(10_000);
    });
  });
});
