import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import mysql, { type Connection } from 'mysql2';
import { Hosts } from '../../connections/hosts.js';
import { serverType } from './mysql-options.js';

describe('a server that lets a user in and answers nothing, as behind an expired password', () => {
  let server: { _server: Server; close(closed: (error?: Error) => void): void };
  let end: { sequenceId: number; stream: Socket; writeError(error: { code: number; message: string }): void };
  let closed: Promise<void>;

  beforeEach(async () => {
    // The driver has a line on the console for how its own server counts packets.
    jest.spyOn(console, 'error').mockReturnValue();
    const greeting = { protocolVersion: 10, serverVersion: '8.0.36', connectionId: 1, statusFlags: 2 };
    server = mysql.createServer((client: Connection) => {
      end = client as unknown as typeof end;
      closed = new Promise((resolve) => end.stream.once('close', () => resolve()));
      client.on('error', () => undefined);
      client.on('query', () => {
        end.sequenceId = 1;
        end.writeError({ code: 1820, message: 'You must reset your password' });
      });
      client.serverHandshake({ ...greeting, characterSet: 45, capabilityFlags: 0xff_f7_ff });
    }) as unknown as typeof server;
    await once(server._server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    end.stream.destroy();
    await promisify(server.close.bind(server))();
    jest.restoreAllMocks();
  });

  it('passes for MariaDB, and the connection is closed: else a command would not end', async () => {
    const { port } = server._server.address() as AddressInfo;
    const login = { user: 'teller', password: '', database: 'registry' };
    expect(await serverType(login, new Hosts([{ host: '127.0.0.1', port }]))).toBe('mariadb');
    await closed;
  });
});
