import dns from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openSocket } from './hosts.js';

const failed = (code: string): Promise<never> =>
  Promise.reject(Object.assign(new Error(`getaddrinfo ${code}`), { code, syscall: 'getaddrinfo' }));

describe('a host of which the name was known', () => {
  let server: Server;
  let names = 0;
  let host: string;
  let answer: () => Promise<unknown>;
  let asked: number;

  beforeEach(async () => {
    host = `host-${names++}.test`;
    asked = 0;
    answer = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    jest.spyOn(dns.promises, 'lookup').mockImplementation((() => (asked++, answer())) as never);
    server = createServer((socket) => void socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    server.close();
    await once(server, 'close');
  });

  /** @returns `connected`, or the error's code */
  async function connect(): Promise<unknown> {
    const socket = openSocket({ host, port: (server.address() as AddressInfo).port });
    try {
      return await Promise.race([
        once(socket, 'connect').then(() => 'connected'),
        once(socket, 'error').then(([error]) => (error as NodeJS.ErrnoException).code),
      ]);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code;
    } finally {
      socket.destroy();
    }
  }

  it.each(['EAI_AGAIN', 'EAI_FAIL'])('is reached while the resolver is away (%s)', async (code) => {
    expect(await connect()).toBe('connected');
    answer = () => failed(code);
    expect(await connect()).toBe('connected');
  });

  it('is reached while the resolver says nothing, which is asked once for all', async () => {
    expect(await connect()).toBe('connected');
    answer = () => new Promise(() => undefined);
    expect(await Promise.all([connect(), connect()])).toEqual(['connected', 'connected']);
    expect(asked).toBe(2);
  });

  it('is gone as soon as the resolver says so', async () => {
    expect(await connect()).toBe('connected');
    answer = () => failed('ENOTFOUND');
    expect(await connect()).toBe('ENOTFOUND');
  });

  it('cannot be reached where it was never known', async () => {
    answer = () => failed('EAI_AGAIN');
    expect(await connect()).toBe('EAI_AGAIN');
  });
});
