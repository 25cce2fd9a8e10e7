import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { RegistryRequest, RegistryResponse } from '../http/request.js';
import { logger } from '../platform/logging/logger.js';
import { logRequests } from './request-log.js';

type Answering = (response: RegistryResponse) => void;

const log = logRequests(({ socket }) => `client at ${socket.remoteAddress}`);

/** @returns the line that is logged for a request @param answer writes the answer; then the client closes the connection */
async function lineOf(answer: Answering, target = '/api/0.1/assets?acc_token=secret'): Promise<unknown> {
  const server = createServer((request, response) => {
    log(request as RegistryRequest, response as RegistryResponse);
    answer(response as RegistryResponse);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const line = new Promise((resolve) => jest.spyOn(logger, 'info').mockImplementation(resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{`);
  const logged = await line;
  socket.destroy();
  server.close();
  return logged;
}

describe('the log line of a request', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('has the status of its answer, and no query', async () => {
    const line = await lineOf((response) => response.writeHead(404).end('{}'));
    expect(line).toMatchObject({ method: 'POST', path: '/api/0.1/assets', status: 404, answered: true });
  });

  it.each([
    ['/api/0.1/assets/1&acc_token=secret', '/api/0.1/assets/1&acc_token...'],
    ['/api/0.1/assets/1%3Facc_token=secret', '/api/0.1/assets/1%3Facc_token...'],
    ['/api/0.1/assets/1%3facc%5ftoken%3dsecret/history', '/api/0.1/assets/1%3facc_token...'],
  ])('hides an owner token in the path: %s', async (target, path) => {
    expect(await lineOf((response) => response.end('{}'), target)).toMatchObject({ path });
  });

  it('has the status of an incomplete answer', async () => {
    const line = await lineOf((response) => {
      response.writeHead(404).write('{');
      response.destroy();
    });
    expect(line).toMatchObject({ status: 404, answered: false });
  });

  it('has the client, even of a closed connection', async () => {
    const client = 'client at 127.0.0.1';
    expect(await lineOf((response) => response.end('{}'))).toMatchObject({ client });
    expect(await lineOf((response) => response.destroy())).toMatchObject({ client });
  });

  it('has no status without an answer', async () => {
    const line = await lineOf((response) => response.destroy());
    expect(line).toMatchObject({ status: undefined, answered: false });
  });
});
