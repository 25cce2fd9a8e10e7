import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Handle } from './connections.js';
import { paceReading } from './paced-reading.js';
import { createRegistryServer } from './server.js';

const MIB = 1_024 * 1_024;
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const LAST = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
const CHUNKED = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n';
const END = '0\r\n\r\n';

/** Whatever is parsed takes a millisecond, whichever machine it is. */
function slowDown(): void {
  let ms = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => ms++);
}

describe('the bytes of a connection', () => {
  let server: Server;
  let handle: Handle;

  beforeEach(async () => {
    slowDown();
    server = createRegistryServer((request, response) => handle(request, response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    jest.useRealTimers();
    server.closeAllConnections();
    await once(server.close(), 'close');
    jest.restoreAllMocks();
  });

  const open = (): Socket => connect((server.address() as AddressInfo).port, '127.0.0.1');

  it('are parsed no further than to some requests behind the one that is answered', async () => {
    let [waiting, most, answered] = [0, 0, 0];
    server.prependListener('request', () => (most = Math.max(most, ++waiting)));
    handle = (_request, response) =>
      setImmediate(() => {
        waiting--;
        answered++;
        response.end();
      });
    const client = open();
    client.write(GET.repeat(3_000) + LAST);
    expect((await text(client)).match(/HTTP\/1\.1 200/g)).toHaveLength(3_001);
    expect(answered).toBe(3_001);
    expect(most).toBeLessThan(1_000);
  });

  it('are requests that are answered with turns for others between, however fast each is', async () => {
    let [inTurn, most] = [0, 0];
    handle = (_request, response) => {
      if (inTurn === 0) setImmediate(() => (inTurn = 0));
      most = Math.max(most, ++inTurn);
      response.end();
    };
    const client = open();
    client.write(GET.repeat(200) + LAST);
    expect((await text(client)).match(/HTTP\/1\.1 200/g)).toHaveLength(201);
    expect(most).toBeLessThan(10);
  });

  it('are parsed with turns for others between, however small the chunks of a body are', async () => {
    let [inTurn, most, length] = [0, 0, 0];
    handle = (request, response) => {
      request.on('data', (bytes: Buffer) => {
        if (inTurn === 0) setImmediate(() => (inTurn = 0));
        most = Math.max(most, ++inTurn);
        length += bytes.length;
      });
      request.once('end', () => response.end());
    };
    const client = open();
    client.write(CHUNKED + '1\r\nx\r\n'.repeat(60_000) + END);
    expect(await text(client)).toContain('HTTP/1.1 200');
    expect(length).toBe(60_000);
    expect(most).toBeLessThan(5_000);
  });

  it('are there in the end where nobody reads the body at first', async () => {
    handle = (request, response) => {
      const read = (): void => void text(request).then((body) => response.end(`${body.length}`));
      setTimeout(read, 20);
    };
    const client = open();
    client.write(CHUNKED + '1\r\nx\r\n'.repeat(200_000) + END);
    expect(await text(client)).toContain('200000');
  });

  it('of refused bodies are not parsed before it is their turn to be thrown away', async () => {
    let socket: Socket | undefined;
    server.on('connection', (opened: Socket) => (socket = opened));
    handle = (request, response) => {
      let pieces = 0;
      request.on('data', () => {
        if (++pieces === 3) response.writeHead(413, { 'Content-Length': 0 }).end();
      });
    };
    const refused = async (bytes: number): Promise<void> => {
      const client = open().on('error', () => undefined);
      client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${16 * MIB}\r\n\r\n`);
      client.write(Buffer.alloc(bytes));
      await once(client, 'data');
    };
    await refused(MIB / 8);
    // The turn of the second one never comes.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
    await refused(8 * MIB);
    for (let i = 0; i < 10_000; i++) await turnOfLoop();
    expect(socket?.bytesRead).toBeLessThan(MIB / 2);
  });

  it.each([
    ['go on to be parsed where its chunks are large, however long that takes', `100000\r\n${'x'.repeat(MIB)}\r\n`, 2],
    ['are no longer parsed where its chunks are small', '1\r\nx\r\n'.repeat(100_000), 1],
  ])('of a refused body %s', async (_, body, answered) => {
    handle = (_request, response) => void setImmediate(() => response.writeHead(401, { 'Content-Length': 0 }).end());
    const client = open();
    const post = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
    client.write(post + body + END + LAST);
    expect((await text(client)).match(/HTTP\/1\.1 401/g)).toHaveLength(answered);
  });

  it('are begun to be parsed at once: else a connection would be idle, and closed with what it has sent', async () => {
    const sockets: Socket[] = [];
    server.on('connection', (socket: Socket) => sockets.push(socket));
    handle = (request, response) => void text(request).then((body) => response.end(`${body.length}`));
    const clients = Array.from({ length: 20 }, () => open().on('error', () => undefined));
    for (const client of clients) client.write(GET);
    await Promise.all(clients.map((client) => once(client, 'data')));
    const answers = clients.map((client) => text(client).catch(() => ''));
    const post = `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3000\r\n\r\n${'x'.repeat(3_000)}`;
    for (const client of clients) client.write(post);
    while (sockets.some(({ bytesRead }) => bytesRead < GET.length + post.length)) await turnOfLoop();
    server.close();
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/3000$/);
  });

  it('are not late where they were sent in time, and wait behind an answer', async () => {
    [server.headersTimeout, server.requestTimeout] = [50, 100];
    handle = (request, response) => {
      const answer = (): void => void text(request).then((body) => response.end(`${body.length}`));
      if (request.method === 'GET') setTimeout(answer, 500);
      else answer();
    };
    const client = open();
    const post = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 30000\r\n\r\n';
    client.write(GET + post + 'x'.repeat(30_000));
    const answers = await text(client);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(answers).toMatch(/30000$/);
  });

  it('are late where what they lack does not come after that either', async () => {
    [server.headersTimeout, server.requestTimeout] = [50, 100];
    handle = (request, response) => {
      if (request.method === 'GET') setTimeout(() => response.end(), 500);
    };
    const client = open();
    client.write(`${GET}POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n${'x'.repeat(10_000)}`);
    expect((await text(client)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 408']);
  });

  it.each([
    ['has no body where that is of a HEAD', 400, `HEAD / HTTP/1.1\r\nX: ${'x'.repeat(5_000)}\r\nY: \x01\r\n\r\n`],
    ['is 404 where only the method is unknown', 404, `FOO /${'x'.repeat(5_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  ])('are refused by all that was read of them: what is wrong %s', async (_, status, bytes) => {
    const client = open();
    client.write(bytes);
    const [head, body] = (await text(client)).split('\r\n\r\n');
    expect([head?.slice(0, 12), body !== '']).toEqual([`HTTP/1.1 ${status}`, status === 404]);
  });

  it('of many connections are all parsed', async () => {
    handle = (request, response) => void text(request).then((body) => response.end(`${body.length}`));
    const answers = Array.from({ length: 20 }, () => {
      const client = open();
      client.write(CHUNKED + '1\r\nx\r\n'.repeat(5_000) + END);
      return text(client);
    });
    for (const answer of await Promise.all(answers)) expect(answer).toContain('5000');
  });
});

it('what was read of connections and waits for its turn is bounded: those beyond are cut', () => {
  slowDown();
  const sockets = Array.from({ length: 4 }, () => new PassThrough({ highWaterMark: 2 ** 30 }));
  for (const socket of sockets) {
    socket.on('data', () => void performance.now());
    paceReading(socket as unknown as Socket);
    socket.emit('data', Buffer.alloc(40 * 1_024 * 1_024));
  }
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false, false, true]);
  for (const socket of sockets) socket.destroy();
  jest.restoreAllMocks();
});
