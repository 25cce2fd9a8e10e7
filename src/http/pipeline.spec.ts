import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '../../test/support/until.js';
import { logger } from '../platform/logging/logger.js';
import { Pipelines } from './pipeline.js';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

describe('pipelined requests', () => {
  let server: Server;
  let client: Socket;
  /** The number of requests, and the answers to those that have begun. */
  let arrived: number;
  let begun: ServerResponse[];

  beforeEach(async () => {
    logger.level = 'silent';
    [arrived, begun] = [0, []];
    const pipelines = new Pipelines();
    server = createServer((_, response) => {
      arrived++;
      pipelines.add(response, () => void begun.push(response));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  });
  afterEach(async () => {
    client.destroy();
    server.closeAllConnections();
    await once(server.close(), 'close');
  });

  it('begin one after the other', async () => {
    client.resume().write(GET.repeat(3));
    await until(() => arrived === 3);
    for (const count of [1, 2, 3]) {
      expect(begun).toHaveLength(count);
      const answer = begun.at(-1) as ServerResponse;
      answer.end();
      await once(answer, 'close');
    }
  });

  it('do not begin after an answer that ends the connection', async () => {
    client.write(GET.repeat(2));
    await until(() => arrived === 2);
    begun[0]?.writeHead(200, { Connection: 'close' }).end('last');
    expect(await text(client)).toContain('last');
    expect(begun).toHaveLength(1);
  });

  it('are cut if there are more than a thousand', async () => {
    client.resume().write(GET.repeat(1_001));
    await once(client, 'close');
    expect(begun).toHaveLength(1);
  });
});
