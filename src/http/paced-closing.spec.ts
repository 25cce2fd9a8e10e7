import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createRegistryServer } from './server.js';

const CLIENTS = 120;
/** Two turns' worth: the turns of this test begin elsewhere. */
const MOST_A_TURN = 100;
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('connections that end in one moment', () => {
  let server: Server;
  let clients: Socket[];
  let opened: number;
  let closed: number;
  /** Of 'end', or of 'close', in one turn of the event loop. */
  let most: number;

  beforeEach(async () => {
    [clients, opened, closed, most] = [[], 0, 0, 0];
    server = createRegistryServer((_request, response) => response.end('ok'));
    server.on('connection', (socket) => {
      opened++;
      socket.on('end', ended);
      socket.on('close', hasClosed);
      socket.on('close', () => closed++);
    });
    const [ended, hasClosed] = [counting(), counting()];
    await once(server.listen(0, '127.0.0.1'), 'listening');
    for (let i = 0; i < CLIENTS; i++)
      clients.push(connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined));
    while (opened < CLIENTS) await turn();
  });
  afterEach(async () => {
    for (const client of clients) client.destroy();
    server.closeAllConnections();
    await once(server.close(), 'close');
  });

  const counting = (): (() => void) => {
    let count = 0;
    return () => {
      if (count === 0) setImmediate(() => (count = 0));
      most = Math.max(most, ++count);
    };
  };

  it('are closed some in a turn', async () => {
    for (const client of clients) client.destroy();
    while (closed < CLIENTS) await turn();
    expect(most).toBeLessThanOrEqual(MOST_A_TURN);
  });

  it.each([
    [200, 'a request', GET],
    [400, 'the half of a request', 'G'],
  ])('are still answered %d to %s', async (status, _, bytes) => {
    const answers = clients.map((client) => text(client));
    for (const client of clients) client.end(bytes);
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(`HTTP/1.1 ${status}`);
    while (closed < CLIENTS) await turn();
    expect(most).toBeLessThanOrEqual(MOST_A_TURN);
  });
});
