import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createRegistryServer } from './server.js';

it('lets a client read the answer that ends a connection, though it has sent requests behind', async () => {
  const size = 8 * 1_024 * 1_024;
  const server = createRegistryServer((_, response) => {
    response.writeHead(200, { Connection: 'close', 'Content-Length': size }).end(Buffer.alloc(size));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100_000));
  let length = 0;
  for await (const bytes of client) {
    length += (bytes as Buffer).length;
    await turn();
  }
  expect(length).toBeGreaterThan(size);
  await once(server.close(), 'close');
});

describe('large bodies of refused requests are thrown away one after the other', () => {
  const MIB = 1_024 * 1_024;
  const chunks = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(MIB), Buffer.from('\r\n0\r\n\r\n')]);

  it.each([
    ['of 8 MiB', 'close', `Content-Length: ${8 * MIB}`, Buffer.alloc(8 * MIB), 6],
    ['in chunks', 'keep-alive', 'Transfer-Encoding: chunked', chunks, 40],
  ])('%s, with Connection: %s', async (_, connection, framing, body, times) => {
    const server = createRegistryServer((_request, response) => {
      // Not at once: the beginning of the body is there by then.
      setTimeout(() => response.writeHead(429, { Connection: connection, 'Content-Length': 0 }).end(), 5);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const open = (): Socket =>
      connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    let client = open();
    const began = performance.now();
    for (let i = 0; i < times; i++) {
      if (client.closed) client = open();
      client.write(`POST / HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n`);
      client.write(body);
      const [answer] = (await once(client, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1.1 429 /);
      if (connection === 'close') await once(client, 'close');
    }
    client.destroy();
    // A client that is answered may go before its body is read.
    await once(server.close(), 'close');
    // 32 MiB a second; none waits for itself.
    expect(performance.now() - began).toBeGreaterThan(900);
  });
});
