import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { exchangeOne, head } from '../support/raw-socket.js';
import { servedRegistry } from '../support/served-registry.js';

const [sqlite] = databases as [TestDatabaseKind];

/** URLs that a page or a script loads, in attributes and calls. */
const LOADED = /(?:src|href|url|action)\s*[=:]\s*["']([^"']+)["']/g;

describe('/docs on SQLite', () => {
  const registry = servedRegistry(sqlite);

  const loadedBy = async (path: string): Promise<string[]> =>
    [...(await registry.send(path)).text.matchAll(LOADED)].map(([, name]) => name as string);

  it.each(['/docs', '/docs?x=1'])('%s leads to the page', async (path) => {
    const { status, headers } = await registry.send(path);
    expect(status).toBe(301);
    expect(new URL(String(headers.get('location')), registry.url + path).pathname).toBe('/docs/');
  });

  it('loads files of this service only', async () => {
    const loaded = [...(await loadedBy('/docs/')), ...(await loadedBy('/docs/start.js'))];
    expect(loaded).toContain('../api/0.1/openapi.json');
    expect(loaded).toHaveLength(5);
    for (const name of loaded) {
      expect(name).not.toMatch(/^(?:\w+:|\/)/);
      const { status, text } = await registry.send(new URL(name, `${registry.url}/docs/`).pathname);
      expect([name, status, text.length > 0]).toEqual([name, 200, true]);
    }
  });

  it('has no script in the page, and no badge that asks another host', async () => {
    expect((await registry.send('/docs/')).text).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|<style/);
    expect((await registry.send('/docs/start.js')).text).toContain("validatorUrl: 'none'");
  });

  it.each([
    ['swagger-ui.css', 'text/css; charset=utf-8'],
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ])('has %s of the library as it is', async (name, type) => {
    const { headers, text } = await registry.send(`/docs/${name}`);
    expect(headers.get('content-type')).toBe(type);
    expect(text === readFileSync(`node_modules/swagger-ui-dist/${name}`, 'utf8')).toBe(true);
  });

  describe.each(['/docs/', '/docs/start.js', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs'])(
    '%s',
    (path) => {
      it('lets the browser load from here alone', async () => {
        const { headers } = await registry.send(path);
        expect(headers.get('content-security-policy')?.split('; ').toSorted()).toEqual([
          "base-uri 'none'",
          "connect-src 'self'",
          "default-src 'none'",
          "form-action 'none'",
          "frame-ancestors 'none'",
          "img-src 'self' data:",
          "script-src 'self'",
          "style-src 'self' 'unsafe-inline'",
        ]);
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('x-request-id')).toMatch(/./);
        expect(headers.get('x-powered-by')).toBeNull();
      });

      it('answers HEAD with no body', async () => {
        const [get, bare] = [await registry.send(path), await registry.send(path, { method: 'HEAD' })];
        expect([bare.status, bare.text]).toEqual([get.status, '']);
        expect(bare.headers.get('etag')).toBe(get.headers.get('etag'));
      });

      it('has no POST', async () => {
        const reply = await registry.send(path, { method: 'POST' });
        expectError(reply, 404, 'header', 'path');
        expect(reply.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
      });
    },
  );

  it.each([
    ['/docs/', 'no-cache'],
    ['/docs/start.js', 'no-cache'],
    ['/docs/swagger-ui-bundle.js', 'public, max-age=3600'],
  ])('%s may be cached, and is 304 while it is unchanged', async (path, caching) => {
    const { headers } = await registry.send(path);
    expect(headers.get('cache-control')).toBe(caching);
    const ifNoneMatch = `If-None-Match: ${headers.get('etag')}`;
    // fetch() adds that nothing may come from a cache.
    const bytes = head(`GET ${path} HTTP/1.1`, 'Host: a', ifNoneMatch, 'Connection: close');
    const again = await exchangeOne(registry.url, bytes);
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it.each(['/docs/index.html', '/docs/__proto__', '/docs/..%2fexchange.js', '/docs//'])(
    '%s is not one of its files',
    async (path) => {
      expectError(await registry.send(path), 404, 'header', 'path');
    },
  );
});
