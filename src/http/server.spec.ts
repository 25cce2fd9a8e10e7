import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createRegistryServer, Throttle } from './server.js';

it('goes on with nothing behind the answer that ends a connection, and reads some of it', async () => {
  const handled: unknown[] = [];
  const server = createRegistryServer(({ url }, response) => {
    handled.push(url);
    response.writeHead(401, { Connection: 'close' }).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const last = async (behind: number): Promise<Error | undefined> => {
    const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
    const closed = new Promise<Error | undefined>((resolve) => {
      let error: Error | undefined;
      client.on('error', (cause) => (error = cause)).once('close', () => resolve(error));
    });
    client.write('POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n');
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 401 /);
    client.end(`body${'POST /behind HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx'.repeat(behind)}`);
    return closed;
  };
  expect(await last(100)).toBeUndefined();
  expect(await last(200_000)).toMatchObject({ syscall: expect.any(String) });
  await once(server.close(), 'close');
  expect(handled).toEqual(['/first', '/first']);
});

describe('a throttle', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('does a few things at a time, in their order, and nothing twice', () => {
    const throttle = new Throttle();
    const done: number[] = [];
    for (let i = 0; i < 20; i++) throttle.add(() => done.push(i));
    const counts = [0, 1, 2, 3].map(() => {
      jest.advanceTimersByTime(5);
      return done.length;
    });
    expect(counts).toEqual([8, 16, 20, 20]);
    expect(done).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  it('goes on with what is added while it works, and after it was done', () => {
    const throttle = new Throttle();
    const done: string[] = [];
    throttle.add(() => {
      done.push('first');
      throttle.add(() => done.push('second'));
    });
    jest.advanceTimersByTime(10);
    expect(done).toEqual(['first', 'second']);
    expect(jest.getTimerCount()).toBe(0);
    throttle.add(() => done.push('third'));
    jest.advanceTimersByTime(5);
    expect(done).toEqual(['first', 'second', 'third']);
  });
});
