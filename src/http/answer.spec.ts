import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Answer, StreamedAnswer, streamAnswer, writeAnswer } from './answer.js';
import type { RegistryRequest, RegistryResponse } from './request.js';

describe('an answer to a request whose body is on the way', () => {
  it('is read by its client, which may send all of it, and ends the connection', async () => {
    const server = createServer((_, response) => {
      // Not at once: the beginning of the body is there by then.
      setTimeout(() => writeAnswer(response as RegistryResponse, new Answer(413, '{"status":"error"}')), 5);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const body = Buffer.alloc(16 * 1024 * 1024);
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n`);
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 413 [^]*\r\nConnection: close\r\n[^]*\{"status":"error"\}$/);
    await new Promise<void>((resolve, reject) => {
      client.once('error', reject);
      client.write(body, (error) => (error ? reject(error) : resolve()));
    });
    await once(client, 'end');
    await once(server.close(), 'close');
  });
});

describe('an answer that is streamed', () => {
  let server: Server;

  beforeEach(async () => {
    server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => once(server.close(), 'close'));

  it.each(['application/gzip', 'text/csv'])('gives up what it has of %s when its client has gone', async (type) => {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n');
    const [, response] = (await once(server, 'request')) as [RegistryRequest, RegistryResponse];
    client.destroy();
    await once(response, 'close');
    const stream = Readable.from(['what is held open'], { objectMode: false });
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
    response.worked = (bytes) => void counted.push(bytes);
    const stream = Readable.from([Buffer.alloc(70_000), Buffer.alloc(30_000)], { objectMode: false });
    streamAnswer(response, new StreamedAnswer(200, stream, { 'Content-Type': type }));
    client.resume();
    await once(response, 'finish');
    client.destroy();
    expect(counted).toEqual([70_000, 30_000]);
  });
});
