import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { logger } from '../logging/logger.js';
import { Connections } from './connections.js';

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

  beforeEach(async () => {
    logger.level = 'silent';
    clients = [];
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout', 'queueMicrotask'] });
    server = createServer(({ url }, response) => {
      if (url === '/pieces') Readable.from(pieces(), { objectMode: false }).pipe(response);
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
    await jest.advanceTimersByTimeAsync(MINUTE + 2_000);
    expect(alive([slow])).toEqual([false]);
  });
});
