import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Handle } from './connections.js';
import { createRegistryServer } from './server.js';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const CHUNKED = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n';
const END = '0\r\n\r\n';

describe('the bytes of a connection', () => {
  let server: Server;
  let handle: Handle;

  beforeEach(async () => {
    // Whatever is parsed takes a millisecond, whichever machine it is.
    let ms = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => ms++);
    server = createRegistryServer((request, response) => handle(request, response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
    jest.restoreAllMocks();
  });

  const open = (): Socket => connect((server.address() as AddressInfo).port, '127.0.0.1');

  it('are there in the end where nobody reads the body at first', async () => {
    handle = (request, response) => {
      const read = (): void => void text(request).then((body) => response.end(`${body.length}`));
      setTimeout(read, 20);
    };
    const client = open();
    client.write(CHUNKED + '1\r\nx\r\n'.repeat(200_000) + END);
    expect(await text(client)).toContain('200000');
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
});
