import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StreamedAnswer, streamAnswer } from './answer.js';
import type { RegistryRequest, RegistryResponse } from './request.js';

describe('an answer that is streamed', () => {
  let server: Server;

  beforeEach(async () => {
    server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => once(server.close(), 'close'));

  it.each(['application/gzip', 'text/csv'])('destroys a stream of %s if its client has disconnected', async (type) => {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n');
    const [, response] = (await once(server, 'request')) as [RegistryRequest, RegistryResponse];
    client.destroy();
    await once(response, 'close');
    const stream = Readable.from(['an open stream'], { objectMode: false });
    const closed = once(stream, 'close');
    streamAnswer(response, new StreamedAnswer(200, stream, { 'Content-Type': type }));
    await closed;
    expect(stream.destroyed).toBe(true);
  });

  it.each(['application/gzip', 'text/csv'])('counts the bytes of %s as they are read', async (type) => {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n');
    const [, response] = (await once(server, 'request')) as [RegistryRequest, RegistryResponse];
    const counted: number[] = [];
    response.chargeWork = (bytes) => void counted.push(bytes);
    const stream = Readable.from([Buffer.alloc(70_000), Buffer.alloc(30_000)], { objectMode: false });
    streamAnswer(response, new StreamedAnswer(200, stream, { 'Content-Type': type }));
    client.resume();
    await once(response, 'finish');
    client.destroy();
    expect(counted).toEqual([70_000, 30_000]);
  });
});
