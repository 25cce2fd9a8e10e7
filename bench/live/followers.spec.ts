import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Followers } from './followers.js';

let server: Server;

beforeAll(async () => {
  server = createServer((socket) => socket.once('data', () => socket.destroy()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => void server.close());

it('followers whose connections break before their heads are told, and not waited for', async () => {
  const followers = new Followers(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'offset');
  await expect(followers.open(3)).rejects.toThrow('3 of 3 followers were refused');
});
