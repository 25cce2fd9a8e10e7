import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { logger } from '../logging/logger.js';
import { Connections, Drain } from './connections.js';
import { inTurn } from './turn-queue.js';
import { RegistryRequest, RegistryResponse, waitedMs } from './exchange.js';

const ANSWER = Buffer.alloc(60 * 1024 * 1024);
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const GET_PIECES = GET.replace('/', '/pieces');
const MINUTE = 60_000;

/** The same, as a file is sent. */
function* pieces(): Generator<Buffer> {
  for (let at = 0; at < ANSWER.length; at += 65_536) yield ANSWER.subarray(at, at + 65_536);
}

describe('connections', () => {
  let server: Server;
  let connections: Connections;
  let clients: Socket[];
  /** An answer that goes on. */
  let stream: ServerResponse | undefined;

  beforeEach(async () => {
    logger.level = 'silent';
    [clients, stream] = [[], undefined];
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout', 'queueMicrotask'] });
    server = createServer(({ url }, response) => {
      if (url === '/stream') stream = response;
      else if (url === '/pieces') Readable.from(pieces(), { objectMode: false }).pipe(response);
      else response.end(ANSWER);
    });
    connections = new Connections(server, 3);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    for (const client of clients) client.destroy();
    server.closeAllConnections();
    await once(server.close(), 'close');
    jest.useRealTimers();
  });

  /** @returns the service's end */
  const open = async (): Promise<Socket> => {
    const connected = once(server, 'connection');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    clients.push(client.pause());
    return ((await connected) as [Socket])[0];
  };
  /** Opens one that asks for a large answer and never reads it. */
  const openUnread = async (request = GET): Promise<Socket> => {
    const socket = await open();
    clients.at(-1)?.write(request);
    while (socket.writableLength === 0) await turn();
    return socket;
  };
  /** The client takes some of it, until the service has sent more. */
  const sip = async (socket: Socket): Promise<void> => {
    const sent = socket.bytesWritten;
    while (socket.bytesWritten === sent) {
      clients.at(-1)?.read();
      await turn();
    }
  };
  const alive = (sockets: Socket[]): boolean[] => sockets.map(({ destroyed }) => !destroyed);

  it('are cut where there are too many, the one whose last step is the longest ago first', async () => {
    const sockets = [await open(), await open(), await open()];
    expect(alive(sockets)).toEqual([true, true, true]);
    connections.step(sockets[0] as Socket);
    sockets.push(await open());
    expect(alive(sockets)).toEqual([true, false, true, true]);
    sockets.push(await open());
    expect(alive(sockets)).toEqual([true, false, false, true, true]);
  });

  it('that closed are not counted', async () => {
    const sockets = [await open(), await open(), await open()];
    clients[1]?.destroy();
    await once(sockets[1] as Socket, 'close');
    sockets.push(await open());
    expect(alive(sockets)).toEqual([true, false, true, true]);
  });

  it('are not the first to be cut where they are sent a stream and read it', async () => {
    const follower = await open();
    clients[0]?.resume().write(GET.replace('/', '/stream'));
    while (stream === undefined) await turn();
    // However long ago the last look at all was.
    await jest.advanceTimersByTimeAsync(1_000);
    const sockets = [await open(), await open()];
    stream.write('news');
    while (follower.writableLength > 0) await turn();
    await jest.advanceTimersByTimeAsync(1_000);
    sockets.push(await open());
    expect(alive([follower, ...sockets])).toEqual([true, false, true, true]);
  });

  it('are cut where too much is unread, and the last one is left', async () => {
    const sockets = [await openUnread(), await openUnread(), await openUnread()];
    await jest.advanceTimersByTimeAsync(1_000);
    expect(alive(sockets)).toEqual([false, true, true]);
  });

  it('are cut when an answer is not read for a minute', async () => {
    const [unread, idle] = [await openUnread(), await open()];
    await jest.advanceTimersByTimeAsync(MINUTE - 1_000);
    expect(alive([unread, idle])).toEqual([true, true]);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(alive([unread, idle])).toEqual([false, true]);
  });

  it('are not cut while an answer is taken bit by bit, however long it takes', async () => {
    const slow = await openUnread(GET_PIECES);
    for (let i = 0; i < 5; i++) {
      await jest.advanceTimersByTimeAsync(MINUTE - 5_000);
      expect(alive([slow])).toEqual([true]);
      await sip(slow);
    }
    // The kernel may go on to take some of it for a while.
    while (!slow.destroyed) await jest.advanceTimersByTimeAsync(1_000);
  });
});

const LARGE = Buffer.alloc(32 * 1024 * 1024);

describe('the requests of a connection', () => {
  let server: ReturnType<typeof createServer<typeof RegistryRequest, typeof RegistryResponse>>;
  let client: Socket;
  /** The service's end of it. */
  let peer: Socket;
  /** Paths whose handlers were called, and how to answer each. */
  let begun: { path: string; request: IncomingMessage; answer: (body: string | Buffer) => void }[];

  beforeEach(async () => {
    begun = [];
    server = createServer({ IncomingMessage: RegistryRequest, ServerResponse: RegistryResponse }, (request, response) =>
      inTurn(response, () => begun.push({ path: request.url, request, answer: (body) => response.end(body) })),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const connected = once(server, 'connection');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    [peer] = (await connected) as [Socket];
  });
  afterEach(async () => {
    client.destroy();
    server.closeAllConnections();
    await once(server.close(), 'close');
  });

  const requests = (...paths: string[]): string => paths.map((path) => GET.replace('/', path)).join('');
  const handled = async (count: number): Promise<string[]> => {
    while (begun.length < count) await new Promise((resolve) => setImmediate(resolve));
    return begun.map(({ path }) => path);
  };
  /** The next requests would have begun within these turns of the loop. */
  const settled = async (): Promise<void> => {
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  };

  it('wait while an answer is not taken', async () => {
    client.pause().write(requests(...Array.from({ length: 1_000 }, (_, i) => `/${i}`)));
    await handled(1);
    begun[0]?.answer(LARGE);
    await settled();
    expect(begun).toHaveLength(1);
    client.resume();
    expect(await handled(2)).toEqual(['/0', '/1']);
  });

  it('count no wait of the service while the answer before is not taken', async () => {
    client.resume().write(requests('/1', '/2'));
    await handled(1);
    const askedMs = performance.now();
    await sleep(100);
    begun[0]?.answer('');
    await handled(2);
    expect(waitedMs(begun[1]?.request as RegistryRequest)).toBeLessThan(performance.now() - askedMs - 80);
  });

  it('may have bodies that come after their turn', async () => {
    const body = 'b'.repeat(1024 * 1024);
    client.resume().write(`${requests('/1')}POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`);
    await handled(1);
    client.write(body);
    await settled();
    begun[0]?.answer('');
    await handled(2);
    expect(await text(begun[1]?.request as IncomingMessage)).toBe(body);
  });

  it('that wait are forgotten when the connection is gone', async () => {
    client.resume().write(requests('/1', '/2'));
    await handled(1);
    peer.destroy();
    await once(peer, 'close');
    begun[0]?.answer('');
    await settled();
    expect(begun).toHaveLength(1);
  });
});

it('a drain cuts what is left at its limit, also who asked for a tunnel', async () => {
  const server = createServer();
  const drain = new Drain(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n');
  const [, socket] = (await once(server, 'connect')) as [unknown, Socket];
  client.write('more');
  await once(socket, 'data');
  drain.begin();
  expect(await drain.end(1)).toBe(1);
});
