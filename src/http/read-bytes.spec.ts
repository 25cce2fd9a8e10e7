import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { readBytes } from './read-bytes.js';

describe('readBytes', () => {
  /** A request whose body the test writes. */
  const request = (headers: IncomingMessage['headers'] = {}): PassThrough & IncomingMessage =>
    Object.assign(new PassThrough(), { headers, socket: { writable: true } }) as unknown as PassThrough &
      IncomingMessage;

  it('refuses one byte more, without waiting for the end', async () => {
    const body = request();
    const bytes = readBytes(body, 6);
    body.write('abcdefg');
    await expect(bytes).rejects.toMatchObject({ status: 413 });
  });

  it('refuses a body whose rest arrives after a 408', async () => {
    const body = request();
    const bytes = readBytes(body, 6);
    body.write('abc');
    Object.assign(body.socket, { writable: false });
    body.end('def');
    await expect(bytes).rejects.toMatchObject({ status: 400 });
  });

  it('joins a body of single bytes', async () => {
    const body = request();
    const bytes = readBytes(body, 1_000);
    for (let i = 0; i < 1_000; i++) body.write(Buffer.from([i % 256]));
    body.end();
    expect((await bytes).equals(Buffer.from(Array.from({ length: 1_000 }, (_, i) => i % 256)))).toBe(true);
  });

  it('leaves no listener, which would keep the bytes as long as the request', async () => {
    const body = request();
    const count = (): number[] => ['data', 'close'].map((event) => body.listenerCount(event));
    const before = count();
    const bytes = readBytes(body, 6);
    body.end('abc');
    await bytes;
    expect(count()).toEqual(before);
  });

  it('refuses a request that is already destroyed', async () => {
    const body = request();
    body.destroy();
    await once(body, 'close');
    await expect(readBytes(body, 6)).rejects.toMatchObject({ status: 400 });
  });
});
