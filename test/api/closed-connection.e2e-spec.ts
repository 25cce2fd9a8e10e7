import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { ASSETS, change, create, type Owned } from '../support/assets.js';
import { embedded } from '../support/databases.js';
import { DESYNC_SEQUENCES } from '../support/desync.js';
import { head } from '../support/raw-socket.js';
import { basic } from '../support/registry.js';
import { servedRegistry } from '../support/served-registry.js';

const TITLE = 'Sent behind the last answer';
const BODY = JSON.stringify({ data: { title: TITLE } });
const HOST = 'Host: registry.example';
/** Its head is answered at once, and ends the connection. */
const REFUSED = head(`GET ${ASSETS} HTTP/1.1`, HOST, 'Expect: nothing', 'Content-Length: 4');

describe.each(embedded)('a connection that the service closes, on $name', (kind) => {
  const registry = servedRegistry(kind);
  let owned: Owned;

  beforeEach(async () => {
    owned = await create(registry);
  });

  /** One that does not end its side when the service does. */
  const open = async (): Promise<Socket> => {
    const { hostname, port } = new URL(registry.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  const patch = (): string =>
    head(
      `PATCH ${ASSETS}/${owned.id} HTTP/1.1`,
      HOST,
      `Authorization: ${basic('broker')}`,
      `X-Access-Token: ${owned.token}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(BODY)}`,
    ) + BODY;
  /** Ends the sending side, so that the service still reads what was sent, and waits for the close. */
  const closed = async (socket: Socket): Promise<void> => {
    // Also emitted after a reset.
    const isClosed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume().end();
    await isClosed;
  };
  const expectUnchanged = async (): Promise<void> => {
    // A change that arrived earlier is committed before this one.
    const { json } = await change(registry, owned, { description: 'Sent afterwards' });
    expect(json.data).toMatchObject({ title: owned.asset['title'], description: 'Sent afterwards' });
  };

  it.each(Object.entries({ 'in one piece': REFUSED + 'body', 'with a later body': REFUSED }))(
    'executes no request after a refused one %s',
    async (_, first) => {
      const socket = await open();
      socket.write(first === REFUSED ? first : first + patch());
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1.1 417 /);
      if (first === REFUSED) socket.write(`body${patch()}`);
      await closed(socket);
      await expectUnchanged();
    },
  );

  it.each(Object.entries(DESYNC_SEQUENCES).slice(0, 3))('executes no request after %s', async (_, sequence) => {
    const socket = await open();
    socket.write(Buffer.from(sequence + patch(), 'latin1'));
    await closed(socket);
    await expectUnchanged();
  });

  it('may be reset by a client that sent CONNECT', async () => {
    const socket = await open();
    socket.write(head('CONNECT registry.example:443 HTTP/1.1', HOST));
    await once(socket, 'data');
    const isClosed = once(socket, 'close');
    socket.resetAndDestroy();
    await isClosed;
    await sleep(0);
    await expectUnchanged();
  });
});
