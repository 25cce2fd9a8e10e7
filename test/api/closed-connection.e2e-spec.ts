import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSETS } from '../support/assets.js';
import { databases } from '../support/databases.js';
import { head } from '../support/raw-socket.js';
import { TestRegistry } from '../support/registry.js';

const HOST = 'Host: registry.example';

describe.each(databases)('a connection that the service closes, on $name', (kind) => {
  let registry: TestRegistry;

  beforeAll(async () => {
    registry = await TestRegistry.start(kind);
  });
  afterAll(() => registry?.stop());

  /** One that does not end its side when the service does. */
  const open = async (): Promise<Socket> => {
    const { hostname, port } = new URL(registry.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  it('may be reset by who asked for a tunnel', async () => {
    const socket = await open();
    socket.write(head('CONNECT registry.example:443 HTTP/1.1', HOST));
    await once(socket, 'data');
    const isClosed = once(socket, 'close');
    socket.resetAndDestroy();
    await isClosed;
    await sleep(0);
    expect((await registry.send(ASSETS)).status).toBe(200);
  });
});
