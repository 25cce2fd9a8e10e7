import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RegistryRequest, RegistryResponse } from './exchange.js';
import { inTurn } from './turns.js';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
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

  it('are begun one after the other, each when the answer before was taken', async () => {
    client.resume().write(requests('/1', '/2', '/3'));
    expect(await handled(1)).toEqual(['/1']);
    await settled();
    expect(begun).toHaveLength(1);
    begun[0]?.answer('one');
    expect(await handled(2)).toEqual(['/1', '/2']);
    begun[1]?.answer('two');
    expect(await handled(3)).toEqual(['/1', '/2', '/3']);
  });

  it('wait while an answer is not taken', async () => {
    client.pause().write(requests(...Array.from({ length: 1_000 }, (_, i) => `/${i}`)));
    await handled(1);
    begun[0]?.answer(LARGE);
    await settled();
    expect(begun).toHaveLength(1);
    client.resume();
    expect(await handled(2)).toEqual(['/0', '/1']);
  });

  it('are not read while others wait, and again when the last one begins', async () => {
    client.resume().write(requests('/1', '/2'));
    await handled(1);
    await settled();
    expect(peer.isPaused()).toBe(true);
    begun[0]?.answer('');
    await handled(2);
    expect(peer.isPaused()).toBe(false);
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
