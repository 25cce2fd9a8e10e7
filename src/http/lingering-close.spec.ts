import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { closeLingering } from './lingering-close.js';
import { createRegistryServer } from './server.js';

const CHECK_MS = 2_000;
const MIB = 1_024 * 1_024;

describe('a connection that is closed while its client may still send', () => {
  let server: Server;
  let client: Socket;
  let socket: Socket;

  beforeEach(async () => {
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout', 'queueMicrotask', 'performance'],
    });
    server = createServer({ allowHalfOpen: true });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined);
    [socket] = (await once(server, 'connection')) as [Socket];
    socket.on('error', () => undefined);
    closeLingering(socket);
    await once(socket, 'finish');
  });
  afterEach(async () => {
    client.destroy();
    socket.destroy();
    await once(server.close(), 'close');
    jest.useRealTimers();
  });

  /** Until the service has it. */
  const send = async (bytes: number): Promise<void> => {
    const all = socket.bytesRead + bytes;
    client.write(Buffer.alloc(bytes));
    while (socket.bytesRead < all) await turn();
  };

  it('is closed when the client ends its side', async () => {
    await send(MIB);
    client.end();
    await once(socket, 'close');
  });

  it('stays while the client sends, and is closed when it is silent', async () => {
    for (let round = 0; round < 3; round++) {
      await send(MIB);
      jest.advanceTimersByTime(CHECK_MS);
      expect(socket.destroyed).toBe(false);
    }
    jest.advanceTimersByTime(CHECK_MS);
    await turn();
    expect(socket.destroyed).toBe(true);
  });

  it('stays when the service was paused, and has not read what has come meanwhile', async () => {
    // What is read next is read after timers, as these are.
    await turn();
    client.write(Buffer.alloc(MIB));
    jest.advanceTimersByTime(CHECK_MS);
    while (socket.bytesRead < MIB && !socket.destroyed) await turn();
    expect(socket.destroyed).toBe(false);
  });

  it('is closed after 16 MiB', async () => {
    await send(16 * MIB);
    jest.advanceTimersByTime(CHECK_MS);
    expect(socket.destroyed).toBe(false);
    await send(1);
    jest.advanceTimersByTime(CHECK_MS);
    expect(socket.destroyed).toBe(true);
  });

  it('is closed after 20 seconds, however slowly the client sends', async () => {
    for (let round = 1; round <= 10; round++) {
      expect(socket.destroyed).toBe(false);
      await send(1);
      jest.advanceTimersByTime(CHECK_MS);
    }
    expect(socket.destroyed).toBe(true);
  });
});

describe('a refused body in chunks', () => {
  const POST = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
  const GET = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  const CHUNK = '1\r\nx\r\n';
  const END = '0\r\n\r\n';
  let [heads, pieces] = [0, 0];
  const server = createRegistryServer((request, response) => {
    heads++;
    request.on('data', () => pieces++);
    response.writeHead(request.method === 'GET' ? 204 : 413).end();
  });

  beforeEach(async () => {
    [heads, pieces] = [0, 0];
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await once(server.close(), 'close');
  });

  /** Sends the chunks after the refusal, and then another request. @returns the statuses of what is answered */
  const sendLate = async (chunks: string): Promise<string[]> => {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write(POST);
    await once(client, 'readable');
    client.write(`${chunks}${END}${GET}`);
    return (await text(client)).match(/HTTP\/1\.1 \d+/g) ?? [];
  };

  it('is thrown away where its chunks are large, however long it is, and the connection goes on', async () => {
    // Whatever is parsed takes no time, whichever machine it is.
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    const chunks = `100000\r\n${'x'.repeat(MIB)}\r\n`.repeat(4);
    expect(await sendLate(chunks)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 204']);
  });

  it('is thrown away where it is short, several times on a connection', async () => {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const answers = text(client);
    // The head of each comes with the end of the one before.
    for (let i = 0; i < 10; i++) {
      client.write(`${POST}${CHUNK.repeat(1_000)}`);
      while (heads <= i) await turn();
      client.write(CHUNK.repeat(1_000));
      client.write(END);
    }
    client.write(GET);
    expect((await answers).match(/HTTP\/1\.1 \d+/g)).toEqual([
      ...Array<string>(10).fill('HTTP/1.1 413'),
      'HTTP/1.1 204',
    ]);
  });

  it('is not parsed on where its chunks are small and many: the connection ends behind its answer', async () =>
    expect(await sendLate(CHUNK.repeat(500_000))).toEqual(['HTTP/1.1 413']));
});

it('few connections stay where more are refused large bodies than can be read', async () => {
  // Their silence does not end them.
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'queueMicrotask', 'performance'] });
  const server = createRegistryServer((_, response) => response.writeHead(413).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  let closed = 0;
  server.on('connection', (socket: Socket) => socket.once('close', () => closed++));
  const clients = Array.from({ length: 300 }, () => {
    const { port } = server.address() as AddressInfo;
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined).resume();
    client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${16 * MIB}\r\n\r\nx`);
    return client;
  });
  while (closed < 100) await turn();
  for (const client of clients) client.destroy();
  server.closeAllConnections();
  await once(server.close(), 'close');
  jest.useRealTimers();
});
