import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { get } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { json as jsonOf } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { findFreePort } from '../../scripts/machine/free-port.js';
import { COMMON_HEADERS } from '../../src/http/answer.js';
import { Client } from '../reliability/background-clients.js';
import { ASSETS, assetBody, create, publish, read } from '../support/assets.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { EventClient } from '../support/event-client.js';
import { metricsOf } from '../support/metrics.js';
import { Nginx } from '../support/nginx.js';
import { exchangeOne, head, type RawReply } from '../support/raw-socket.js';
import { basic, type Reply, type Send, sendTo, TestRegistry } from '../support/registry.js';
import { until } from '../support/until.js';

// The proxy does not know the database.
const [sqlite] = databases as [TestDatabaseKind];
const LONGEST_WAIT_S = 60;
const TRUST_PROXY = '127.0.0.1';
const CLOSE = ['Host: registry.example', 'Connection: close'];
const BODY = JSON.stringify(assetBody());
const POST_HEAD = [`POST ${ASSETS} HTTP/1.1`, 'Content-Type: application/json', `Authorization: ${basic('broker')}`];

/** Checks an error that nginx answers itself: the contract's body, and the headers that every answer has. */
function expectOwnError(reply: Reply | RawReply, status: number, location: 'header' | 'body', name: string): void {
  expectError(reply, status, location, name);
  expect(reply.headers.get('server')).toBe('nginx');
  expect(reply.headers.get('content-type')).toBe('application/json');
  expect(reply.headers.get('cache-control')).toBe('no-cache');
  for (const [header, value] of Object.entries(COMMON_HEADERS))
    expect(reply.headers.get(header.toLowerCase())).toBe(value);
}

describe('the proxy before a registry on SQLite', () => {
  let registry: TestRegistry;
  let nginx: Nginx;
  const send = (path: string, options?: Send): Promise<Reply> => sendTo(nginx.url, path, options);
  /** Under load an answer may come uncompressed. */
  const sendFor = async (coding: string, path: string): Promise<Reply> => {
    for (;;) {
      const reply = await send(path, { headers: { 'Accept-Encoding': coding } });
      if (reply.headers.get('content-encoding') === coding) return reply;
    }
  };

  beforeAll(async () => {
    registry = await TestRegistry.start(sqlite, { TRUST_PROXY, METRICS_PORT: '0' });
    nginx = await Nginx.before(registry.url);
  });
  afterAll(async () => {
    const errors = await nginx?.stop();
    await registry?.stop();
    expect(errors).toBe('');
  });

  it.each(['gzip', 'br'])('passes an asset on as it is in %s: its coding, its ETag, 304, HEAD', async (coding) => {
    const owned = await publish(registry);
    const path = `${ASSETS}/${owned.id}`;
    const reply = await sendFor(coding, path);
    expect(reply.text).toBe((await read(registry, owned)).text);
    const headers = { 'Accept-Encoding': coding, 'If-None-Match': String(reply.headers.get('etag')) };
    expect((await send(path, { headers })).status).toBe(304);
    const ofHead = await send(path, { method: 'HEAD' });
    expect([ofHead.status, ofHead.text, ofHead.headers.get('etag')]).toEqual([200, '', reply.headers.get('etag')]);
  });

  it('passes on a creation, a change and If-Match', async () => {
    const { id, token } = await create({ send });
    const changed = await send(`${ASSETS}/${id}?acc_token=${token}`, {
      method: 'PATCH',
      key: 'broker',
      headers: { 'If-Match': '"another"' },
      body: { data: { title: 'x' } },
    });
    expectError(changed, 412, 'header', 'If-Match');
  });

  it('gives links its own host, with https for requests over TLS', async () => {
    const { next_page: plain } = (await send(ASSETS)).json;
    expect(plain.uri).toBe(nginx.url + plain.path);
    const sent = get(nginx.tlsUrl + ASSETS, { ca: readFileSync('test/support/certificates/authority.pem') });
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const { next_page: secure } = (await jsonOf(answer)) as { next_page: { uri: string; path: string } };
    expect(secure.uri).toBe(nginx.tlsUrl + secure.path);
  });

  it('leads plain HTTP to TLS, with method and query', async () => {
    const { status, headers } = await sendTo(nginx.redirectingUrl, `${ASSETS}?limit=1`, { method: 'POST' });
    expect([status, headers.get('location')]).toEqual([308, `https://127.0.0.1${ASSETS}?limit=1`]);
  });

  it('passes a snapshot on, and parts of it', async () => {
    await publish(registry);
    const path = `${ASSETS}/snapshot.jsonl.gz`;
    const whole = await send(path);
    expect(whole.text).toBe((await registry.send(path)).text);
    const part = await send(path, { headers: { Range: 'bytes=2-5' } });
    expect([part.status, part.headers.get('content-length')]).toEqual([206, '4']);
    expect((await send(path, { method: 'HEAD' })).headers.get('content-length')).toBe(
      whole.headers.get('content-length'),
    );
  });

  it('passes on a header Link that repeats a long query', async () => {
    const { status, headers } = await send(`${ASSETS}?feed=${','.repeat(4_000)}`);
    expect(status).toBe(200);
    expect((headers.get('link') ?? '').length).toBeGreaterThan(12_000);
  });

  it('delays no event, and no answer to a long poll', async () => {
    const offset = (await publish(registry)).asset.dateModified;
    const after = `?offset=${encodeURIComponent(offset)}`;
    const stream = await EventClient.open(nginx.url, { query: after });
    const waiting = send(`${ASSETS}${after}&wait=${LONGEST_WAIT_S}`);
    await until(async () => (await metricsOf(registry.metricsUrl)).get('registry_live_waits') === 1);
    const { id } = await publish(registry);
    expect((await stream.has(1)).entries).toMatchObject([{ id }]);
    expect((await waiting).json.data).toMatchObject([{ id }]);
    stream.close();
  });

  it('has a longer time-out than the longest long poll', () => {
    const [, seconds] = /proxy_read_timeout (\d+)s;/.exec(readFileSync('docs/nginx/nginx.conf', 'utf8')) ?? [];
    expect(Number(seconds)).toBeGreaterThan(LONGEST_WAIT_S);
  });

  it('answers Expect: 100-continue itself, and passes on the body', async () => {
    const lines = [...POST_HEAD, ...CLOSE, `Content-Length: ${Buffer.byteLength(BODY)}`, 'Expect: 100-continue'];
    const socket = connect(Number(new URL(nginx.url).port), '127.0.0.1');
    socket.write(head(...lines));
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(BODY);
    const [second] = (await once(socket, 'data')) as [Buffer];
    expect(second.toString()).toMatch(/^HTTP\/1\.1 201 /);
    socket.destroy();
  });

  it('uses the id that a client sends, otherwise a new one, for the service and for its own errors', async () => {
    const ofService = async (headers = {}): Promise<unknown> =>
      (await send(ASSETS, { headers })).headers.get('x-request-id');
    const ofOwnError = async (id: string): Promise<unknown> => {
      const lines = [`TRACE ${ASSETS} HTTP/1.1`, `X-Request-ID: ${id}`, ...CLOSE];
      return (await exchangeOne(nginx.url, head(...lines))).headers.get('x-request-id');
    };
    expect(await ofService({ 'X-Request-ID': 'of-the-client' })).toBe('of-the-client');
    expect(await ofOwnError('of-the-client')).toBe('of-the-client');
    for (const id of [await ofService(), await ofOwnError('a b')]) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each<[string, number, string, string[], string]>([
    ['a path that is not percent-encoded', 400, 'request', ['GET /api/0.1/%zz HTTP/1.1', ...CLOSE], ''],
    ['no Host', 400, 'request', [`GET ${ASSETS} HTTP/1.1`, 'Connection: close'], ''],
    ['two Hosts', 400, 'request', [`GET ${ASSETS} HTTP/1.1`, 'Host: other.example', ...CLOSE], ''],
    ['no HTTP', 400, 'request', ['what is this'], ''],
    ['another version', 400, 'request', [`GET ${ASSETS} HTTP/3.0`, ...CLOSE], ''],
    ['another transfer coding', 400, 'request', [...POST_HEAD, ...CLOSE, 'Transfer-Encoding: gzip, chunked'], ''],
    ['a broken chunk', 400, 'request', [...POST_HEAD, ...CLOSE, 'Transfer-Encoding: chunked'], 'x\r\n'],
    ['TRACE', 404, 'path', [`TRACE ${ASSETS} HTTP/1.1`, ...CLOSE], ''],
    ['a long request line', 431, 'headers', [`GET ${ASSETS}?${'a'.repeat(20_000)} HTTP/1.1`, ...CLOSE], ''],
    ['a long header', 431, 'headers', [`GET ${ASSETS} HTTP/1.1`, `X: ${'a'.repeat(20_000)}`, ...CLOSE], ''],
  ])('answers %s as the contract says: %i (%s)', async (_, status, name, lines, body) => {
    expectOwnError(await exchangeOne(nginx.url, head(...lines) + body), status, 'header', name);
  });

  it('answers plain HTTP at the port of TLS as the contract says: 400', async () => {
    const url = nginx.tlsUrl.replace('https', 'http');
    expectOwnError(await exchangeOne(url, head(`GET ${ASSETS} HTTP/1.1`, ...CLOSE)), 400, 'header', 'request');
  });

  it('leaves a body that is too large to the service, and refuses one beyond all limits itself', async () => {
    const post = (bytes: number): Promise<RawReply> =>
      exchangeOne(nginx.url, `${head(...POST_HEAD, ...CLOSE, `Content-Length: ${bytes}`)}${' '.repeat(bytes)}`);
    const ofService = await post(1_500_000);
    expectError(ofService, 413, 'body', 'data', expect.stringContaining('bytes are taken'));
    expectOwnError(await post(2_500_000), 413, 'body', 'data');
  });

  it('logs the path of a request, and no query, which may be long', async () => {
    const { status } = await send(`${ASSETS}/none?acc_token=geheim${'&a=b'.repeat(3_000)}`);
    expect(status).toBe(404);
    await until(() => nginx.log().includes(`"GET ${ASSETS}/none" 404`));
    expect(nginx.log()).not.toContain('geheim');
  });
});

/** Runs after each test, even a failed one. */
const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function startNginx(service: string, changes?: Record<string, string>): Promise<Nginx> {
  const nginx = await Nginx.before(service, changes);
  cleanUps.push(() => nginx.stop());
  return nginx;
}

/** A service that calls `answer`, and records method and length of each request. */
async function startFake(answer: RequestListener): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.headers['content-length']}`);
    answer(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  cleanUps.push(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${port}`, seen };
}

describe('the proxy before a service that is away', () => {
  it('answers 503, and logs no owner token', async () => {
    const nginx = await startNginx(`http://127.0.0.1:${await findFreePort()}`);
    const reply = await sendTo(nginx.url, `${ASSETS}/x?acc_token=geheim`, { method: 'PATCH', body: {} });
    expectOwnError(reply, 503, 'header', 'server');
    expect(reply.headers.get('retry-after')).toBe('2');
    await until(() => nginx.log().includes('503'));
    expect(nginx.log()).not.toContain('geheim');
  });

  it('answers 503 if the service is silent', async () => {
    const fake = await startFake(() => undefined);
    const nginx = await startNginx(fake.url, { 'proxy_read_timeout 90s': 'proxy_read_timeout 1s' });
    expectOwnError(await sendTo(nginx.url, ASSETS), 503, 'header', 'server');
  });

  it('answers 503 to a write if the service closes the connection, and does not send it again', async () => {
    const fake = await startFake((request, response) =>
      request.method === 'POST' ? request.socket.destroy() : response.end(),
    );
    const nginx = await startNginx(fake.url);
    // The write then uses the connection that it keeps.
    expect((await sendTo(nginx.url, '/')).status).toBe(200);
    expectOwnError(await sendTo(nginx.url, ASSETS, { method: 'POST', body: {} }), 503, 'header', 'server');
    expect(fake.seen).toEqual(['GET undefined', 'POST 2']);
  });

  it('sends a request on once all of its body is there', async () => {
    const fake = await startFake((request, response) => request.resume().once('end', () => response.end()));
    const nginx = await startNginx(fake.url);
    const slow = connect(Number(new URL(nginx.url).port), '127.0.0.1');
    slow.write(`${head(...POST_HEAD, 'Host: a', 'Content-Length: 4')}ab`);
    expect((await sendTo(nginx.url, '/')).status).toBe(200);
    expect(fake.seen).toEqual(['GET undefined']);
    slow.write('cd');
    await once(slow, 'data');
    expect(fake.seen).toEqual(['GET undefined', 'POST 4']);
    slow.destroy();
  });
});

describe('the limits of the proxy', () => {
  it('apply per address to requests per second: 429', async () => {
    const nginx = await startNginx(`http://127.0.0.1:${await findFreePort()}`, {
      'rate=100r/s': 'rate=1r/m',
      'burst=400': 'burst=1',
    });
    for (let i = 0; i < 2; i++) expectOwnError(await sendTo(nginx.url, ASSETS), 503, 'header', 'server');
    const refused = await sendTo(nginx.url, ASSETS);
    expectOwnError(refused, 429, 'header', 'rate_limit');
    expect(refused.headers.get('retry-after')).toBe('1');
    const other = new Client(nginx.url, '127.0.0.2');
    expect((await other.send('GET', ASSETS)).status).toBe(503);
    other.close();
  });

  it('apply per address to concurrent requests: 429', async () => {
    await TestRegistry.during(sqlite, {}, async ({ url }) => {
      const nginx = await startNginx(url, { 'limit_conn connections 100': 'limit_conn connections 1' });
      const stream = await EventClient.open(nginx.url);
      expectOwnError(await sendTo(nginx.url, ASSETS), 429, 'header', 'rate_limit');
      stream.close();
      await until(async () => (await sendTo(nginx.url, ASSETS)).status === 200);
    });
  });

  it('leave those of the service to it, which counts for each address whatever a client says of itself', async () => {
    const limits = { RATE_LIMIT: 'on', RATE_LIMIT_READS: '0.01/2', TRUST_PROXY };
    await TestRegistry.during(sqlite, limits, async ({ url }) => {
      const nginx = await startNginx(url);
      const forged = (i: number): Promise<Reply> =>
        sendTo(nginx.url, ASSETS, { headers: { 'X-Forwarded-For': `192.0.2.${i}` } });
      const statuses = [await forged(1), await forged(2), await forged(3)].map(({ status }) => status);
      expect(statuses).toEqual([200, 200, 429]);
      const other = new Client(nginx.url, '127.0.0.2');
      expect((await other.send('GET', ASSETS)).status).toBe(200);
      other.close();
    });
  });
});
