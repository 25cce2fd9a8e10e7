import { beforeEach, describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody, change, create, createIn, type Owned, post, publish, read } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import type { Reply } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';

const STRONG = /^"[\x21\x23-\x7e]+"$/;

describe.each(embedded)('reading an asset on $name', (kind) => {
  const registry = servedRegistry(kind);
  let owned: Owned;
  let etag: string;

  const etagOf = (reply: Reply): string => reply.headers.get('etag') ?? '';
  const readIf = (ifNoneMatch: string, method = 'GET'): Promise<Reply> =>
    registry.send(`${ASSETS}/${owned.id}`, { method, headers: { 'If-None-Match': ifNoneMatch } });

  beforeEach(async () => {
    owned = await publish(registry);
    etag = etagOf(await read(registry, owned));
  });

  it('GET answers byte for byte what POST answered as data', async () => {
    const posted = await post(registry, assetBody());
    const data = /^\{"access":\{"token":"[0-9a-f]{32}"\},"data":(.*)\}$/.exec(posted.text)?.[1];
    expect((await read(registry, posted.json.data)).text).toBe(`{"data":${data}}`);
  });

  it('GET answers byte for byte what the last PATCH answered', async () => {
    const patched = await change(registry, owned, { value: { amount: 7 }, quantity: 1.5, description: 'Опис' });
    expect(patched.text).toContain('"amount":7.0');
    expect((await read(registry, owned)).text).toBe(patched.text);
  });

  it.each(['', '/history'])('a cache asks before it gives GET <asset>%s again', async (rest) => {
    expect((await registry.send(`${ASSETS}/${owned.id}${rest}`)).headers.get('cache-control')).toBe('no-cache');
  });

  it.each(['0'.repeat(32), `${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`, "'%20OR%20'1'='1", '%00'])(
    'an id that no asset has is 404: %s',
    async (id) => {
      expectError(await registry.send(`${ASSETS}/${id}`), 404, 'header', 'id');
    },
  );

  it('an id is compared to the letter', async () => {
    const ids = [owned.id.toUpperCase(), `${owned.id}%20`, `${owned.id}%00`, owned.id.slice(0, -1)];
    // An id of digits alone has no other case.
    for (const id of ids.filter((candidate) => candidate !== owned.id)) {
      expectError(await registry.send(`${ASSETS}/${id}`), 404, 'header', 'id');
    }
  });

  describe('by its number', () => {
    it.each(['', '/history', '?at=2999-01-01', '?opt_pretty=1'])(
      'a published asset is answered as by its id, with Content-Location, in either case or percent-encoded: %p',
      async (rest) => {
        const { id, asset } = await publish(registry);
        const byIdPath = `${ASSETS}/${id}${rest}`;
        const byId = await registry.send(byIdPath);
        expect(byId.headers.get('content-location')).toBeNull();
        const encoded = asset.assetID.replace('U', '%55');
        for (const number of [asset.assetID, asset.assetID.toLowerCase(), encoded]) {
          const path = `${ASSETS}/${number}${rest}`;
          const reply = await registry.send(path);
          const text = reply.text.replaceAll(`${ASSETS}/${number}`, `${ASSETS}/${id}`);
          expect([reply.status, text, reply.headers.get('content-location')]).toEqual([200, byId.text, byIdPath]);
          const ETag = reply.headers.get('etag') as string;
          const same = await registry.send(path, { headers: { 'If-None-Match': ETag } });
          expect([same.status, same.headers.get('content-location')]).toEqual([304, byIdPath]);
          expect((await registry.send(path, { method: 'HEAD' })).headers.get('content-location')).toBe(byIdPath);
        }
      },
    );

    it('a draft is not found, nor a number that no asset has', async () => {
      const draft = await create(registry);
      for (const number of [draft.asset.assetID, 'UA-2017-08-16-999999', 'UA-AR-DGF-2017-08-16-000001-1'])
        expectError(await registry.send(`${ASSETS}/${number}`), 404, 'header', 'id');
    });
  });

  describe('ETag', () => {
    it('is strong', () => {
      expect(etag).toMatch(STRONG);
    });

    it('POST and PATCH answers carry it', async () => {
      const posted = await post(registry, assetBody());
      const created = { id: posted.json.data.id, token: posted.json.access.token, asset: posted.json.data };
      expect(etagOf(posted)).toMatch(STRONG);
      expect(etagOf(await read(registry, created))).toBe(etagOf(posted));
      const patched = await change(registry, created, { title: 'Інша' });
      expect(etagOf(await read(registry, created))).toBe(etagOf(patched));
    });

    it('is another one after every change, and for every asset', async () => {
      const draft = await create(registry);
      const seen = [etag, etagOf(await read(registry, draft))];
      for (const title of ['a', 'b', 'a', 'b']) {
        seen.push(etagOf(await change(registry, owned, { title })), etagOf(await change(registry, draft, { title })));
      }
      expect(new Set(seen).size).toBe(seen.length);
    });
  });

  describe('If-None-Match', () => {
    it.each<[string, (tag: string) => string]>([
      ['the ETag', (tag) => tag],
      ['*', () => '*'],
      ['a list with the ETag', (tag) => `"x", ${tag},"y"`],
      ['the ETag as a weak one', (tag) => `W/${tag}`],
    ])('%s gives 304 without a body', async (_what, value) => {
      for (const method of ['GET', 'HEAD']) {
        const reply = await readIf(value(etag), method);
        expect([reply.status, reply.text]).toEqual([304, '']);
        expect(etagOf(reply)).toBe(etag);
      }
    });

    it.each<[string, (tag: string) => string]>([
      ['another ETag', () => '"x"'],
      ['the ETag without quotes', (tag) => tag.slice(1, -1)],
    ])('%s gives 200', async (_what, value) => {
      const reply = await readIf(value(etag));
      expect([reply.status, reply.json.data]).toEqual([200, owned.asset]);
    });
  });

  describe('HEAD', () => {
    /** Headers of the connection or of one request. */
    const PASSING = ['connection', 'keep-alive', 'date', 'x-request-id'];
    const lastingHeaders = (reply: Reply): [string, string][] =>
      [...reply.headers].filter(([name]) => !PASSING.includes(name));

    it.each(['', '?opt_pretty=1'])('answers as GET, with no body%s', async (query) => {
      const path = `${ASSETS}/${owned.id}${query}`;
      const [get, headReply] = [await registry.send(path), await registry.send(path, { method: 'HEAD' })];
      expect([headReply.status, headReply.text]).toEqual([200, '']);
      expect(lastingHeaders(headReply)).toEqual(lastingHeaders(get));
      expect(Number(headReply.headers.get('content-length'))).toBe(Buffer.byteLength(get.text));
    });
  });

  it.each(['draft', 'pending', 'active', 'complete', 'deleted'])('a %s asset is read without a key', async (status) => {
    const { asset } = await createIn(registry, status);
    const reply = await read(registry, asset);
    expect([reply.status, reply.json.data.status]).toEqual([200, status]);
  });
});
