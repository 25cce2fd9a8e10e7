import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import manifest from '../package.json' with { type: 'json' };
import type { AssetInput } from './asset-types.js';
import type { ClientOptions } from './calls.js';
import {
  Conflict,
  ConnectionFailed,
  Forbidden,
  Invalid,
  RateLimited,
  RegistryError,
  Unavailable,
  UnexpectedAnswer,
} from './errors.js';
import { RegistryClient } from './registry-client.js';
import type { Wait } from './retry-policy.js';

interface Scripted {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** Closes the connection: before an answer, or within one. */
  breaks?: 'before' | 'within';
}

type Request = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: string };

const KEY = 'secret-key';
const TOKEN = 'secret-token';
const ID = 'a'.repeat(32);
const DATA = { title: 'x' } as AssetInput;
const ASSET = { id: ID, title: 'x', status: 'pending' };
const PAGE = JSON.stringify({ next_page: { offset: 'o' }, data: [] });
const refusal = (status: number, name: string): Scripted => ({
  status,
  headers: { 'X-Request-ID': 'r1' },
  body: JSON.stringify({ status: 'error', errors: [{ location: 'header', name, description: 'No' }] }),
});
const asset = (changes = {}): Scripted => ({ body: JSON.stringify({ data: { ...ASSET, ...changes } }) });
const BUSY = { ...refusal(429, 'rate_limit'), headers: { 'Retry-After': '0' } };

describe('a client of a registry', () => {
  let server: Server;
  let url: string;
  let answers: Scripted[];
  let requests: Request[];
  let waits: Wait[];
  let client: RegistryClient;
  const open = (options: ClientOptions = {}): RegistryClient =>
    new RegistryClient(url, { key: KEY, onWait: (wait) => waits.push(wait), ...options });
  const reasons = (): string[] => waits.map(({ reason }) => reason);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url: target, headers } = request;
    requests.push({ method, url: target, headers, body: await text(request) });
    const { status = 200, headers: own = {}, body = PAGE, breaks } = answers.shift() ?? {};
    if (breaks === 'before') return void request.socket.destroy();
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      ...own,
    });
    if (breaks === undefined) return void response.end(body);
    response.write(body.slice(0, 10), () => request.socket.destroy());
  }

  beforeEach(async () => {
    [answers, requests, waits] = [[], [], []];
    server = createServer((request, response) => void answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    client = open();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await client.close();
    server.closeAllConnections();
    server.close();
  });

  it.each(['', '/', '/api/0.1', '/api/0/', '/api/0.1/assets', '/api/0.1/assets/?limit=1'])(
    'understands an address that ends in "%s"',
    async (end) => {
      for (const before of ['', '/behind/api/proxy']) {
        const named = new RegistryClient(url + before + end);
        await named.page();
        await named.close();
        expect(requests.at(-1)?.url).toBe(`${before}/api/0.1/assets`);
      }
    },
  );

  it.each([
    ['<html>Log in</html>', /^The answer is not a registry's: "<html>Log in/],
    ['{"data":[]}', /not a registry's/],
    ['{"data":[{"id":1}],"next_page":{"offset":"o"}}', /not a registry's/],
  ])('refuses %j as a page', async (body, message) => {
    client = open({ retries: 0 });
    answers = [{ body }];
    const failed = client.page();
    await expect(failed).rejects.toThrow(UnexpectedAnswer);
    await expect(failed).rejects.toThrow(message);
    expect(requests).toHaveLength(1);
  });

  it('reports the target of a redirect, without its query', async () => {
    client = open({ retries: 0 });
    answers = [{ status: 302, headers: { Location: 'https://login.example/?secret=1' }, body: '<html>' }];
    await expect(client.page()).rejects.toThrow(
      'GET /api/0.1/assets was answered with 302, a redirect to https://login.example: is that the address of the registry?',
    );
    answers = [{ status: 301, body: '' }];
    await expect(client.snapshot()).rejects.toThrow(/was answered with 301$/);
  });

  it('does not read an endless answer', async () => {
    let sent = 0;
    const endless = createServer((_, response) => {
      const piece = Buffer.alloc(1024 * 1024, ' ');
      const send = (): void => {
        for (let goesOn = sent < 500; goesOn && sent < 500; sent++) goesOn = response.write(piece);
      };
      response.on('drain', send);
      send();
    });
    await once(endless.listen(0, '127.0.0.1'), 'listening');
    const endlessUrl = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
    const asking = new RegistryClient(endlessUrl, { retries: 0 });
    await expect(asking.page()).rejects.toThrow('The answer has more than 67108864 bytes');
    expect(sent).toBeLessThan(200);
    await asking.close();
    endless.closeAllConnections();
    endless.close();
  });

  it.each(['{}', '{"data":{"count":"1","digest":""}}'])('refuses %j as a digest', async (body) => {
    client = open({ retries: 0 });
    answers = [{ body }];
    await expect(client.digest()).rejects.toThrow(UnexpectedAnswer);
  });

  it.each(['{}', '{"components":{"schemas":{}}}'])('refuses %j as the description of a registry', async (body) => {
    client = open({ retries: 0 });
    answers = [{ body }];
    await expect(client.types()).rejects.toThrow(UnexpectedAnswer);
  });

  it('returns the types of a registry, without the schemas of removed types', async () => {
    const boat = { properties: { assetType: { enum: ['boat', 'ship'] }, title: {} } };
    const gone = { properties: { assetType: { not: { enum: ['boat', 'ship'] } }, title: {} } };
    const oneOf = [{ $ref: '#/components/schemas/Boat' }, { $ref: '#/components/schemas/Gone' }];
    answers = [{ body: JSON.stringify({ components: { schemas: { Asset: { oneOf }, Boat: boat, Gone: gone } } }) }];
    expect(await client.types()).toEqual([{ name: 'boat', aliases: ['ship'], fields: ['assetType', 'title'] }]);
  });

  it('reports an unknown host', async () => {
    const unknown = new RegistryClient('http://nowhere.invalid', { retries: 0 });
    await expect(unknown.page()).rejects.toThrow(
      /^http:\/\/nowhere\.invalid is not found: .*\((?:ENOTFOUND|EAI_AGAIN)\)$/,
    );
    await unknown.close();
  });

  it('reports a registry that has made the write of a dry run', async () => {
    answers = [asset(), asset()];
    await expect(client.change(ID, { status: 'pending' }, { dryRun: true })).rejects.toThrow(
      /does not support dry runs/,
    );
    await expect(client.changeMany([{ id: ID }], { dryRun: true })).rejects.toThrow(/does not support dry runs/);
  });

  it('retries after Retry-After, and reports why it waits', async () => {
    answers = [BUSY, { ...refusal(503, 'server'), headers: { 'Retry-After': new Date(0).toUTCString() } }];
    expect((await client.page()).nextOffset).toBe('o');
    expect(waits).toEqual([
      { reason: 'rate limited', ms: 0 },
      { reason: 'unavailable', ms: 0, why: `${url} answered 503` },
    ]);
  });

  it('gives up after `retries` retries with the last answer', async () => {
    client = open({ retries: 2 });
    answers = [BUSY, BUSY, BUSY, {}];
    await expect(client.page()).rejects.toThrow(RateLimited);
    expect([requests.length, waits.length]).toEqual([3, 2]);
    answers = [{ status: 502, body: '<html>', headers: { 'Retry-After': '0' } }];
    await expect(open({ retries: 0 }).page()).rejects.toMatchObject({ name: 'Unavailable', status: 502, errors: [] });
    expect(new Unavailable({ method: 'GET', path: '/', status: 503, faults: [] })).toBeInstanceOf(RegistryError);
  });

  it('does not retry a request that would be refused again', async () => {
    answers = [refusal(422, 'title')];
    const error = (await client.create(DATA).catch((thrown: unknown) => thrown)) as Invalid;
    expect(error).toBeInstanceOf(Invalid);
    expect(error).toMatchObject({ status: 422, requestId: 'r1', errors: [{ location: 'header', name: 'title' }] });
    expect(error.message).toBe('POST /api/0.1/assets was answered with 422 (title: No)');
    expect(requests).toHaveLength(1);
  });

  it('names the full path in an error', async () => {
    answers = [refusal(404, 'path')];
    await expect(new RegistryClient(`${url}/docs/`).page()).rejects.toThrow(
      'GET /docs/api/0.1/assets was answered with 404',
    );
  });

  it('reports a registry without TLS as a wrong address', async () => {
    const asked = new RegistryClient(url.replace('http:', 'https:'), { retries: 0 }).page();
    await expect(asked).rejects.toThrow(
      `${url.replace('http:', 'https:')} does not use TLS: try http:// instead of https:// (ERR_SSL_WRONG_VERSION_NUMBER)`,
    );
  });

  it('requests an incomplete answer again as a whole', async () => {
    answers = [{ breaks: 'within' }, { breaks: 'before' }, { breaks: 'within' }];
    expect((await client.page()).entries).toEqual([]);
    expect(requests.map(({ headers }) => headers.range)).toEqual([undefined, undefined, undefined, undefined]);
    expect(reasons()).toEqual(['connection', 'connection', 'connection']);
  });

  it('fails without an answer', async () => {
    client = open({ retries: 1 });
    answers = [{ breaks: 'before' }, { breaks: 'before' }];
    await expect(client.page()).rejects.toThrow(ConnectionFailed);
    answers = [{ breaks: 'within' }, { breaks: 'within' }];
    await expect(client.page()).rejects.toThrow('GET /api/0.1/assets got no complete answer (UND_ERR_SOCKET)');
    expect(requests).toHaveLength(4);
  });

  it('creates with one Idempotency-Key over all retries', async () => {
    const created = JSON.stringify({ access: { token: TOKEN }, data: ASSET });
    answers = [{ breaks: 'before' }, { body: created, status: 201, headers: { ETag: '"1"' } }];
    expect(await client.create(DATA)).toEqual({ asset: ASSET, token: TOKEN, etag: '"1"' });
    const [first, second] = requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).toBe(first);
    expect(requests[1]?.body).toBe('{"data":{"title":"x"}}');
    await client.create(DATA, { idempotencyKey: 'mine' }).catch(() => undefined);
    expect(requests[2]?.headers['idempotency-key']).toBe('mine');
  });

  it('throws a refusal if the asset is not changed, or there was no retry', async () => {
    answers = [{ breaks: 'before' }, refusal(403, 'data'), asset()];
    await expect(client.delete(ID, { token: TOKEN })).rejects.toThrow(Forbidden);
    answers = [refusal(403, 'data'), asset({ status: 'deleted' })];
    await expect(client.delete(ID, { token: TOKEN })).rejects.toThrow(Forbidden);
    expect(requests).toHaveLength(4);
  });

  it('reads without a key, and unchanged assets from its cache', async () => {
    answers = [
      { ...asset(), headers: { ETag: '"1"' } },
      { status: 304, body: '', headers: { ETag: '"1"' } },
    ];
    answers.push({ ...asset({ title: 'y' }), headers: { ETag: '"2"' } });
    const titles = [await client.read(ID), await client.read(ID), await client.read(ID)];
    expect(titles.map(({ asset: { title }, etag }) => [title, etag])).toEqual([['x', '"1"'], ['x', '"1"'], ['y', '"2"']]); // prettier-ignore
    expect(requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"', '"1"']);
    expect(requests[0]?.headers.authorization).toBeUndefined();
  });

  it('keeps cookies, and retries a 412 of another server at once, but not a failed precondition', async () => {
    answers = [{ headers: { 'Set-Cookie': 'SERVER_ID=one; Path=/' } }];
    answers.push({ ...refusal(412, 'Cookie'), headers: { 'Set-Cookie': 'SERVER_ID=two; Path=/' } }, {});
    await client.page();
    await client.page();
    expect(requests.map(({ headers }) => headers.cookie)).toEqual([undefined, 'SERVER_ID=one', 'SERVER_ID=two']);
    expect(waits).toEqual([{ reason: 'another server', ms: 0 }]);
    answers = [refusal(412, 'If-Match')];
    await expect(client.change(ID, {}, { ifMatch: '"0"' })).rejects.toMatchObject({ name: 'Conflict', status: 412 });
    expect(requests).toHaveLength(4);
  });

  it('returns the asset if a retry is refused because the first attempt has succeeded, and throws otherwise', async () => {
    const lost: Scripted[] = [{ breaks: 'before' }, refusal(412, 'data.0.etag')];
    answers = [...lost, asset()];
    expect(await client.changeMany([{ id: ID, title: 'x', etag: '"1"' }])).toEqual([ASSET]);
    answers = [...lost, asset()];
    await expect(client.changeMany([{ id: ID, title: 'y', etag: '"1"' }])).rejects.toThrow(Conflict);
    answers = [refusal(412, 'data.0.etag')];
    await expect(client.changeMany([{ id: ID, title: 'x', etag: '"1"' }])).rejects.toThrow(Conflict);
  });

  it('stops waiting when aborted, and throws the reason', async () => {
    const reason = new Error('enough');
    const all = new AbortController();
    const one = new AbortController();
    client = open({ signal: all.signal, onWait: () => one.abort(reason) });
    const pause = { status: 429, headers: { 'Retry-After': '1000' } };
    answers = [pause];
    await expect(client.page({ signal: one.signal })).rejects.toBe(reason);
    client = open({ signal: all.signal, onWait: () => all.abort(reason) });
    answers = [pause];
    await expect(client.page()).rejects.toBe(reason);
    await expect(client.page()).rejects.toBe(reason);
    expect(requests).toHaveLength(2);
  });

  it('does not reveal its key or a token', async () => {
    const observed: unknown[] = [client];
    for (const refused of [
      refusal(403, 'X-Access-Token'),
      { breaks: 'within' as const },
      { breaks: 'before' as const },
    ]) {
      answers = [refused];
      const busy = open({ retries: 0 });
      observed.push(await busy.change(ID, {}, { token: TOKEN }).catch((error: unknown) => error));
    }
    const seen = inspect(observed, { depth: 20, showHidden: true }) + observed.map(String).join();
    expect(seen).toContain('Forbidden');
    for (const secret of [KEY, TOKEN, Buffer.from(`${KEY}:`).toString('base64')]) expect(seen).not.toContain(secret);
  });

  it.each<[string, Scripted, string[]]>([
    ['answered', {}, []],
    ['asked to retry later', BUSY, ['rate limited', 'plain']],
    ['sent to another server', { ...refusal(412, 'x'), headers: { 'Set-Cookie': 'SERVER_ID=b' } }, ['another server', 'long poll']], // prettier-ignore
  ])('at the end of the feed sends a long poll; it is %s', async (_, answered, further) => {
    const empty = await client.page({ limit: 2 });
    answers = [answered];
    const page = await client.pageAfterEnd(empty, { offset: empty.nextOffset, limit: 2 });
    expect(page.entries).toEqual([]);
    expect(waits.shift()).toEqual({ reason: 'caught up', ms: 25_000, isLive: true });
    const asked = requests.slice(1).map(({ url: target }) => target?.split('?')[1]);
    expect(asked.shift()).toBe('offset=o&limit=2&wait=25');
    const kinds = asked.map((query) => (query === 'offset=o&limit=2' ? 'plain' : 'long poll'));
    expect([...reasons(), ...kinds]).toEqual(further);
  });

  it('sends a User-Agent', async () => {
    await client.page();
    await open({ userAgent: 'mine/1' }).page();
    const own = `${manifest.name}/${manifest.version}`;
    expect(requests.map(({ headers }) => headers['user-agent'])).toEqual([own, `mine/1 ${own}`]);
  });

  it.each(['ftp://registry.example', 'https://key@registry.example', 'registry'])(
    'refuses the address %s',
    (address) => {
      expect(() => new RegistryClient(address)).toThrow(/^The address of the registry /);
    },
  );
});
