import { describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody, assetTextWith, create, createIn, post, publish } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { beginning, expectError, expectFaultyFields, faultsOf } from '../support/errors.js';
import type { Reply } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';
import { runSql } from '../support/rows.js';

const NOT_JSON = 'No JSON object could be decoded';
const NO_DATA = 'Data not available: {"data": {...}} is required';
const JSON_ONLY = "Content-Type header should be one of ['application/json']";
const LIMIT = 256 * 1024;
const nested = (depth: number): string => `${'{"data":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;
/** Bytes that fetch sends without a Content-Type. */
const bytes = (text: string): Uint8Array => Buffer.from(text);

describe.each(embedded)('errors on $name', (kind) => {
  const registry = servedRegistry(kind);
  const postAs = (contentType: string, headers: Record<string, string> = {}): Promise<Reply> =>
    registry.send(ASSETS, {
      method: 'POST',
      key: 'broker',
      headers: { 'Content-Type': contentType, ...headers },
      body: bytes(JSON.stringify(assetBody())),
    });

  describe('the error body', () => {
    it('reports all faulty fields at once', async () => {
      const wrong = { title: 5, quantity: -1, value: { currency: 'UAH' }, unit: { code: '' }, relatedlot: 'x' };
      const names = ['title', 'quantity', 'value.amount', 'unit.code', 'unit.name', 'relatedlot'];
      expectFaultyFields(await post(registry, assetBody(wrong)), 422, names);
    });

    it('has at most 20 entries', async () => {
      const rogue = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`field${i}`, 1]));
      expect(faultsOf(await post(registry, assetBody(rogue)), 422)).toHaveLength(20);
      // In addition to the missing fields.
      expect(faultsOf(await post(registry, { data: { assetType: 'basic', ...rogue } }), 422)).toHaveLength(20);
    });

    it.each(['x'.repeat(100_000), '\ud800', '', '\n', '<script>', 'a.b'])(
      'stays whole whatever a field is called: %j',
      async (name) => {
        const [fault] = faultsOf(await post(registry, assetBody({ [name]: 1 })), 422);
        expect(fault).toMatchObject({ location: 'body', description: 'Rogue field' });
        expect(fault?.name.length).toBeLessThan(300);
        expect(fault?.name.isWellFormed()).toBe(true);
      },
    );
  });

  describe('400', () => {
    it.each(['/%zz', `${ASSETS}/%zz`, `${ASSETS}/%ff`])('a malformed URL: %s', async (path) => {
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
        expectError(await registry.send(path, { method }), 400, 'header', 'path');
      }
    });

    it('a malformed query parameter is named', async () => {
      const limit = 'A whole number from 1 is required: at most 1000, and more counts as 1000';
      expectError(await registry.send(`${ASSETS}?limit=x`), 400, 'header', 'limit', limit);
      expectError(await registry.send(`${ASSETS}?opt_fields=%zz`), 400, 'header', 'opt_fields');
      const { id } = await create(registry);
      const reply = await registry.send(`${ASSETS}/${id}?acc_token=%zz`, {
        method: 'PATCH',
        key: 'broker',
        body: { data: {} },
      });
      expectError(reply, 400, 'header', 'acc_token');
    });
  });

  describe('404', () => {
    it.each(['/x', '/api/0.1/', '/API/0.1/assets', '//api/0.1/assets', '/api/0.1/%61ssets', '/api/0x1/assets'])(
      'a path that names no action: %s',
      async (path) => {
        expectError(await registry.send(path), 404, 'header', 'path');
      },
    );

    it.each([
      ['DELETE', ASSETS, 'GET, HEAD, POST, PATCH, OPTIONS'],
      ['POST', '/api/0.1/spore', 'GET, HEAD, OPTIONS'],
      ['PATCH', '/health/live', 'GET, HEAD, OPTIONS'],
      ['DELETE', '/', 'GET, HEAD, OPTIONS'],
    ])('names the path’s methods, for %s %s', async (method, path, allowed) => {
      const reply = await registry.send(path, { method });
      const description = `There is no such action: see the method and the path; it takes ${allowed}`;
      expectError(reply, 404, 'header', 'path', description);
      expect(reply.headers.get('allow')).toBe(allowed);
      expect((await registry.send(path, { method: 'OPTIONS' })).headers.get('allow')).toBe(allowed);
    });

    it.each(['/api/0.1', '/api/0'])(
      'explains, for DELETE of an asset below %s, how assets are deleted',
      async (prefix) => {
        const reply = await registry.send(`${prefix}/assets/${'0'.repeat(32)}`, { method: 'DELETE' });
        const description =
          'There is no such action: see the method and the path; it takes GET, HEAD, PATCH, OPTIONS; ' +
          'its owner deletes an asset with PATCH and {"data": {"status": "deleted"}}';
        expectError(reply, 404, 'header', 'path', description);
      },
    );

    it.each([
      ['/nowhere', '; those of the API begin with /api/0.1/'],
      ['/api/0.1/assets/', ''],
    ])('names no method for %s, which has none', async (path, help) => {
      for (const method of ['GET', 'DELETE', 'OPTIONS']) {
        const reply = await registry.send(path, { method });
        expectError(reply, 404, 'header', 'path', `There is no such action: see the method and the path${help}`);
        expect(reply.headers.has('allow')).toBe(false);
      }
    });
  });

  describe('an assetID instead of an id', () => {
    const description =
      'There is no asset with this id: it is an assetID, by which a published asset is read; everything else takes its id';

    it('is recognised on PATCH, and the page of that number shows the id', async () => {
      const { id, asset } = await publish(registry);
      const path = `${ASSETS}/${asset['assetID']}`;
      const body = { data: {} };
      for (const key of ['broker', 'concierge'])
        expectError(await registry.send(path, { method: 'PATCH', key, body }), 404, 'header', 'id', description);
      expect((await registry.send(`/assets/${asset['assetID']}`)).text).toContain(id);
    });

    it.each(['A'.repeat(32), '96da8406-093f-4c6c-9f3e-9e32edf34033', 'x', 'UA-2026', '%D1%97'])(
      'is not what %s is, which is no id either',
      async (sent) => {
        const form = 'There is no asset with this id: an id is 32 lower-case hex characters';
        expectError(await registry.send(`${ASSETS}/${sent}`), 404, 'header', 'id', form);
      },
    );
  });

  describe('413', () => {
    const filled = (size: number): string => {
      const text = assetTextWith('description', '""');
      return text + ' '.repeat(size - Buffer.byteLength(text));
    };

    it('a body of 256 KiB is accepted, one byte more is not', async () => {
      expect((await post(registry, filled(LIMIT))).status).toBe(201);
      const description = `The request body is too large: at most ${LIMIT} bytes are taken`;
      expectError(await post(registry, filled(LIMIT + 1)), 413, 'body', 'data', description);
    });

    it('bytes are counted, not characters', async () => {
      expectError(await post(registry, `"${'і'.repeat(LIMIT / 2)}"`), 413, 'body', 'data');
    });
  });

  describe('415', () => {
    it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
      '%s is fine',
      async (contentType) => {
        expect((await postAs(contentType)).status).toBe(201);
      },
    );

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=windows-1251',
      '',
      'application/json, text/plain',
    ])('the Content-Type %p is not', async (contentType) => {
      expectError(await postAs(contentType), 415, 'header', 'Content-Type', JSON_ONLY);
    });

    it('a missing Content-Type is not, on POST and on PATCH', async () => {
      const { id } = await create(registry);
      for (const [method, path] of [
        ['POST', ASSETS],
        ['PATCH', `${ASSETS}/${id}`],
      ] as const) {
        const reply = await registry.send(path, { method, key: 'broker', body: bytes('{"data":{}}') });
        expectError(reply, 415, 'header', 'Content-Type', JSON_ONLY);
      }
    });

    it.each(['gzip', 'br', 'identity, gzip'])('the Content-Encoding %s is not', async (encoding) => {
      const reply = await postAs('application/json', { 'Content-Encoding': encoding });
      expectError(reply, 415, 'header', 'Content-Encoding');
    });

    it('the Content-Encoding identity is fine', async () => {
      expect((await postAs('application/json', { 'Content-Encoding': 'identity' })).status).toBe(201);
    });
  });

  describe('422 of the body', () => {
    const PATCH_TO = async (body: string | Uint8Array): Promise<Reply> => {
      const { id, token } = await create(registry);
      const headers = { 'Content-Type': 'application/json', 'X-Access-Token': token };
      return registry.send(`${ASSETS}/${id}`, { method: 'PATCH', key: 'broker', headers, body });
    };

    it.each<[string, string | Uint8Array]>([
      ['nothing', ''],
      ['no JSON', 'data'],
      ['half an object', '{"data":{}'],
      ['a trailing comma', '{"data":{},}'],
      ['a comment', '{"data":{}/**/}'],
      ['an invalid escape', '{"data":{"title":"\\x"}}'],
      ['an array', '[{"data":{}}]'],
      ['bytes that are no UTF-8', Buffer.from([...Buffer.from('{"data":{"title":"'), 0xff, ...Buffer.from('"}}')])],
      ['an encoded surrogate', Buffer.from([...Buffer.from('{"data":{"title":"'), 0xed, 0xa0, 0x80, 0x22, 0x7d, 0x7d])],
      ['a byte order mark', '\ufeff{"data":{}}'],
      ['nesting of 17', nested(17)],
      ['nesting of 17 with arrays', `{"data":{"a":${'['.repeat(15)}${']'.repeat(15)}}}`],
      ['nesting of 100,000', `{"data":${'['.repeat(100_000)}`],
      ['a repeated key in the asset', '{"data":{"title":"a","title":"a"}}'],
      ['a repeated key that is written in two ways', '{"data":{"title":"a","t\\u0069tle":"b"}}'],
      ['a repeated __proto__', '{"data":{"__proto__":1,"__proto__":2}}'],
    ])('%s is no JSON object', async (_what, body) => {
      expectError(await post(registry, body), 422, 'body', 'data', beginning(NOT_JSON));
      expectError(await PATCH_TO(body), 422, 'body', 'data', beginning(NOT_JSON));
    });

    it('nesting of 16 is decoded', async () => {
      const [fault] = faultsOf(await PATCH_TO(nested(16)), 422);
      expect(fault).toMatchObject({ name: 'data', description: 'Rogue field' });
    });

    it.each(['{}', '{"data":null}', '{"data":[]}', '{"data":"bar"}', '{"Data":{}}', '{"__proto__":{"data":{}}}'])(
      '%s has no object in data',
      async (body) => {
        expectError(await post(registry, body), 422, 'body', 'data', NO_DATA);
        expectError(await PATCH_TO(body), 422, 'body', 'data', NO_DATA);
      },
    );
  });

  it('500 gives no details', async () => {
    const { id } = await createIn(registry, 'pending');
    await runSql(registry, `UPDATE asset SET body = '{"torn' WHERE id = ?`, [id]);
    const reply = await registry.send(`${ASSETS}/${id}`, {
      method: 'PATCH',
      key: 'concierge',
      body: { data: { relatedLot: 'a'.repeat(32) } },
    });
    expectError(reply, 500, 'header', 'server');
    expect(reply.text).not.toMatch(/torn|JSON|position/);
  });
});
