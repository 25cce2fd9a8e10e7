import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import { Drain } from './drain.js';

it('cuts the remaining connections at its limit, including one that asked for a tunnel', async () => {
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
