import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { ASSETS, assetBody } from '../support/assets.js';
import { Connection } from '../fuzz/connection.js';
import { embedded } from '../support/databases.js';
import { expectError } from '../support/errors.js';
import { exchange, exchangeOne, head, parseReplies, type RawReply } from '../support/raw-socket.js';
import { basic } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';

const CLOSE = 'Connection: close';
const HOST = 'Host: registry.example';
const BODY = JSON.stringify(assetBody());
const POST_HEAD = [
  `POST ${ASSETS} HTTP/1.1`,
  HOST,
  'Content-Type: application/json',
  `Authorization: ${basic('broker')}`,
  `Content-Length: ${Buffer.byteLength(BODY)}`,
];

describe.each(embedded)('requests that no HTTP client sends on $name', (kind) => {
  const registry = servedRegistry(kind);
  const send = (bytes: string | Buffer, options = {}): Promise<RawReply> => exchangeOne(registry.url, bytes, options);
  const get = (target: string, ...lines: string[]): Promise<RawReply> =>
    send(head(`GET ${target} HTTP/1.1`, HOST, CLOSE, ...lines));
  /** Checks an error and the headers that every answer has, from any layer. */
  const expectRawError = (reply: RawReply, status: number, name: unknown): void => {
    expectError(reply, status, 'header', name as string);
    expect(reply.headers.get('content-type')).toBe('application/json');
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
    expect(reply.headers.get('content-length')).toBe(String(Buffer.byteLength(reply.text)));
  };

  describe('headers that are given twice', () => {
    it.each([
      ['Authorization', basic('broker')],
      ['X-Access-Token', 'a'],
      ['Content-Type', 'application/json'],
      ['Host', 'registry.example'],
    ])('%s is 400, on reads and writes, in any case of its name', async (name, value) => {
      const twice = name === 'Host' ? [`host: ${value}`] : [`${name}: ${value}`, `${name.toLowerCase()}: ${value}`];
      expectRawError(await get(ASSETS, ...twice), 400, name);
      const others = POST_HEAD.filter((line) => name === 'Host' || !line.startsWith(`${name}:`));
      expectRawError(await send(head(...others, CLOSE, ...twice) + BODY), 400, name);
    });

    it('another header may be given twice', async () => {
      expect((await get(ASSETS, 'Accept: a/b', 'Accept: c/d', 'X-Any: 1', 'X-Any: 2')).status).toBe(200);
    });
  });

  describe('letters in a query that are not percent-encoded', () => {
    it('are accepted as UTF-8, and the connection ends with the answer', async () => {
      const reply = await send(Buffer.from(head(`GET ${ASSETS}?x=земля%20ї&limit=1 HTTP/1.1`, HOST)));
      expect([reply.status, reply.headers.get('connection')]).toEqual([200, 'close']);
      const { path } = (JSON.parse(reply.text) as { next_page: { path: string } }).next_page;
      expect(path).toContain(`x=${encodeURIComponent('земля ї')}&limit=1`);
    });

    it('are accepted on a write, also if its body arrives later', async () => {
      const bytes = Buffer.from(head(POST_HEAD[0]?.replace(' HTTP', '?x=земля HTTP') as string, ...POST_HEAD.slice(1)));
      const { hostname, port } = new URL(registry.url);
      const socket = connect({ host: hostname, port: Number(port) });
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      const closed = once(socket, 'close');
      socket.write(bytes);
      socket.write(BODY.slice(0, 10));
      setTimeout(() => socket.write(BODY.slice(10)), 20);
      await closed;
      expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 201 /);
    });

    it('are answered after the earlier request on the connection', async () => {
      const { hostname, port } = new URL(registry.url);
      const socket = connect({ host: hostname, port: Number(port) });
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      const closed = once(socket, 'close');
      socket.write(head(`GET ${ASSETS}?offset=2099-01-01&wait=1 HTTP/1.1`, HOST));
      setTimeout(() => socket.write(head(`GET /api/0.1/spore?x=земля HTTP/1.1`, HOST)), 50);
      await closed;
      const replies = parseReplies(Buffer.concat(chunks));
      expect(replies.map(({ status, text }) => [status, Object.keys(JSON.parse(text) as object)[0]])).toEqual([
        [200, 'next_page'],
        [200, 'name'],
      ]);
    });

    it.each(['/api/0.1/assets?x=\xff', '/api/0.1/assets?x=\xd0', '/\xd0\xb7?x=1'])(
      'are 400 if they are not UTF-8, and in a path: %j',
      async (target) => {
        expectRawError(await send(Buffer.from(head(`GET ${target} HTTP/1.1`, HOST), 'latin1')), 400, 'path');
      },
    );
  });

  describe('Host', () => {
    it('is required', async () => {
      expectRawError(await send(head(`GET ${ASSETS} HTTP/1.1`, CLOSE)), 400, 'Host');
    });

    it.each(['', 'a b', 'a@b', 'a:x', 'a:65536', '256.1.1.1', 'http://a', '<a>', 'a'.repeat(262)])(
      'is a name and perhaps a port: %p is 400',
      async (host) => {
        expectRawError(await send(head(`GET ${ASSETS} HTTP/1.1`, `Host: ${host}`, CLOSE)), 400, 'Host');
      },
    );
  });

  it('headers with the names of built-in members are headers like any other', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      expect((await get(ASSETS, `${name}: 1`, `${name}: 2`)).status).toBe(200);
  });

  it('of the conditional headers, the listing honours If-None-Match only', async () => {
    const conditions = ['If-Modified-Since: Sun, 01 Jan 2090 00:00:00 GMT', 'Range: bytes=0-3'];
    expect((await get(ASSETS, ...conditions)).status).toBe(200);
    expect((await get(ASSETS, 'If-None-Match: *', ...conditions)).status).toBe(304);
  });

  describe('Expect', () => {
    it.each(['200-ok', '100-continue-or-not'])('%s is 417', async (expectation) => {
      const reply = await send(head(...POST_HEAD, CLOSE, `Expect: ${expectation}`) + BODY);
      expectRawError(reply, 417, 'Expect');
    });

    it('100-continue is answered, and then the request', async () => {
      const replies = await exchange(registry.url, head(...POST_HEAD, CLOSE, 'Expect: 100-continue') + BODY);
      expect(replies.map(({ status }) => status)).toEqual([100, 201]);
    });
  });

  describe('methods', () => {
    it.each(['registry.example:443', `registry.example${ASSETS}`])('CONNECT %s is 404', async (to) => {
      expectRawError(await send(head(`CONNECT ${to} HTTP/1.1`, HOST)), 404, 'path');
    });

    it.each(['TRACE', 'M-SEARCH', 'BREW', 'get'])('%s is 404', async (method) => {
      expectRawError(await send(head(`${method} ${ASSETS} HTTP/1.1`, HOST, CLOSE)), 404, 'path');
    });

    it('a method that Node does not know is 404 after another request too', async () => {
      const replies = await exchange(
        registry.url,
        head(`GET ${ASSETS} HTTP/1.1`, HOST) + head('BREW / HTTP/1.1', HOST),
      );
      expect(replies.map(({ status }) => status)).toEqual([200, 404]);
    });

    it.each(['G ET', '', 'G(T'])('%p is no method: 400', async (method) => {
      expectRawError(await send(head(`${method} ${ASSETS} HTTP/1.1`, HOST, CLOSE)), 400, expect.any(String));
    });
  });

  describe('broken framing', () => {
    it.each([
      ['no HTTP', 'hello\r\n\r\n'],
      ['another version', head(`GET ${ASSETS} HTTP/9.9`, HOST)],
      ['a space before the colon', head(`GET ${ASSETS} HTTP/1.1`, HOST, 'X-Y : 1')],
      ['a zero byte in a header', head(`GET ${ASSETS} HTTP/1.1`, HOST, 'X-Y: a\0b')],
    ])('%s is 400, and the connection is closed', async (_what, bytes) => {
      const reply = await send(bytes);
      expectRawError(reply, 400, expect.any(String));
      expect(reply.headers.get('connection')).toBe('close');
    });

    it('a body that breaks off is 400', async () => {
      const reply = await send(head(...POST_HEAD) + BODY.slice(0, 20), { halfClose: true });
      expectRawError(reply, 400, expect.any(String));
    });

    it('a chunked body is read as one with a length', async () => {
      const bytes = Buffer.from(BODY);
      const chunk = (part: Buffer): Buffer =>
        Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
      const headLines = [...POST_HEAD.filter((line) => !line.startsWith('Content-Length')), CLOSE];
      const parts = [chunk(bytes.subarray(0, 7)), chunk(bytes.subarray(7)), Buffer.from('0\r\n\r\n')];
      const request = Buffer.concat([Buffer.from(head(...headLines, 'Transfer-Encoding: chunked')), ...parts]);
      expect((await send(request)).status).toBe(201);
    });

    it('a refused body is never parsed as the next request', async () => {
      const inner = head(`DELETE ${ASSETS} HTTP/1.1`, HOST);
      const refused = head(
        `POST ${ASSETS} HTTP/1.1`,
        HOST,
        'Content-Type: text/plain',
        `Content-Length: ${inner.length}`,
      );
      const replies = await exchange(registry.url, refused + inner + head(`GET ${ASSETS} HTTP/1.1`, HOST, CLOSE));
      expect(replies.map(({ status }) => status)).toEqual([415, 200]);
    });
  });

  describe('oversized heads', () => {
    it.each([
      ['one long header', `X-Long: ${'x'.repeat(20_000)}`],
      ['more headers than are looked at', Array.from({ length: 150 }, (_, i) => `X-${i}: ${i}`).join('\r\n')],
    ])('%s is 431', async (_what, lines) => {
      expectRawError(await get(ASSETS, lines), 431, 'headers');
    });

    it('a long URL is 431', async () => {
      expectRawError(await get(`${ASSETS}?x=${'x'.repeat(20_000)}`), 431, 'headers');
    });

    it('an Authorization after 90 other headers is still read', async () => {
      const others = Array.from({ length: 90 }, (_, i) => `X-${i}: ${i}`);
      expect((await send(head(POST_HEAD[0] as string, ...others, ...POST_HEAD.slice(1), CLOSE) + BODY)).status).toBe(
        201,
      );
    });
  });

  describe('targets', () => {
    it.each([`${ASSETS}%f`, 'api/0.1/assets'])('%s is 400', async (target) => {
      expectRawError(await get(target), 400, 'path');
    });

    it('the absolute form is served by its path and query', async () => {
      for (const base of ['http://registry.example', 'http://another.example:81', 'HTTPS://registry.example']) {
        const reply = await get(`${base}${ASSETS}?limit=7`);
        expect(reply.status).toBe(200);
        expect(reply.json.next_page.path).toBe(`${ASSETS}?limit=7&offset=`);
        expectRawError(await get(`${base}/nowhere`), 404, 'path');
        expect((await get(base)).headers.get('content-type')).toMatch(/^text\/html/);
      }
    });

    it('links use the authority of the absolute form instead of Host', async () => {
      const reply = await get(`http://another.example:81${ASSETS}`);
      expect(reply.json.next_page.uri).toMatch(/^http:\/\/another\.example:81\/api/);
      expectRawError(await get(`http://user@another.example${ASSETS}`), 400, 'path');
    });

    it.each(['http://', 'http://?limit=1'])('an absolute form of nothing, %s, is 404', async (target) => {
      expectRawError(await get(target), 404, 'path');
    });

    it('bytes outside of ASCII are refused in a path', async () => {
      const reply = await get('/api/0.1/assets/і');
      expect([400, 404]).toContain(reply.status);
      expectRawError(reply, reply.status, reply.status === 400 ? 'path' : 'id');
    });

    it('a wish to upgrade is ignored', async () => {
      const lines = ['Connection: Upgrade, close', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
      expect((await send(head(`GET ${ASSETS} HTTP/1.1`, HOST, ...lines))).status).toBe(200);
    });
  });

  describe('HTTP/2', () => {
    /** Headers that java.net.http adds to its first request on each connection without TLS. */
    const H2C = [
      'Connection: Upgrade, HTTP2-Settings',
      'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
      'Upgrade: h2c',
      'User-Agent: Java-http-client/17.0.15',
    ];

    it('that a client offers to speak is ignored: each request is answered, on the one connection', async () => {
      const connection = new Connection(new URL(registry.url));
      const reading = head(`GET ${ASSETS} HTTP/1.1`, HOST, 'Content-Length: 0', ...H2C);
      const replies: RawReply[] = [];
      for (const bytes of [reading, head(...POST_HEAD, ...H2C) + BODY, reading])
        replies.push(await connection.send(Buffer.from(bytes), false));
      connection.close();
      expect(replies.map(({ status }) => status)).toEqual([200, 201, 200]);
      expect(replies.map(({ headers }) => headers.get('connection'))).toEqual(Array(3).fill('keep-alive'));
      expect(replies.some(({ headers }) => headers.has('upgrade'))).toBe(false);
    });

    it('that a client speaks without asking is 400, and the connection is closed', async () => {
      const preface = `${head('PRI * HTTP/2.0')}SM\r\n\r\n`;
      const reply = await send(Buffer.concat([Buffer.from(preface), Buffer.from('000000040000000000', 'hex')]));
      expectRawError(reply, 400, expect.any(String));
      expect(reply.headers.get('connection')).toBe('close');
    });
  });

  it('HEAD that the parser refuses has no body either', async () => {
    const reply = await send(head('HEAD ?x HTTP/1.1', HOST, CLOSE));
    expect([reply.status, reply.text]).toEqual([400, '']);
    expect(Number(reply.headers.get('content-length'))).toBeGreaterThan(0);
  });

  it('a request that the parser refuses after a HEAD has a body', async () => {
    const bytes = head(`HEAD ${ASSETS} HTTP/1.1`, HOST, 'If-None-Match: *') + head('GET ?x HTTP/1.1', HOST, CLOSE);
    const [first, second] = (await exchange(registry.url, bytes)) as [RawReply, RawReply];
    expect([first.status, first.text]).toEqual([304, '']);
    expectRawError(second, 400, 'path');
  });
});
