import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import mysql, { type Connection } from 'mysql2';
import { Hosts } from '../../connections/hosts.js';
import { serverType } from './mysql-options.js';

describe('a server that accepts the login and refuses all statements, as after an expired password', () => {
  let server: { _server: Server; close(closed: (error?: Error) => void): void };
  let connection: { sequenceId: number; stream: Socket; writeError(error: { code: number; message: string }): void };
  let closed: Promise<void>;

  beforeEach(async () => {
    // The driver logs its own server's packet numbers to the console.
    jest.spyOn(console, 'error').mockReturnValue();
    const greeting = { protocolVersion: 10, serverVersion: '8.0.36', connectionId: 1, statusFlags: 2 };
    server = mysql.createServer((client: Connection) => {
      connection = client as unknown as typeof connection;
      closed = new Promise((resolve) => connection.stream.once('close', () => resolve()));
      client.on('error', () => undefined);
      client.on('query', () => {
        connection.sequenceId = 1;
        connection.writeError({ code: 1820, message: 'You must reset your password' });
      });
      client.serverHandshake({ ...greeting, characterSet: 45, capabilityFlags: 0xff_f7_ff });
    }) as unknown as typeof server;
    await once(server._server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    connection.stream.destroy();
    await promisify(server.close.bind(server))();
    jest.restoreAllMocks();
  });

  it('counts as MariaDB, and the connection is closed so that a command can end', async () => {
    const { port } = server._server.address() as AddressInfo;
    const login = { user: 'teller', password: '', database: 'registry' };
    expect(await serverType(login, new Hosts([{ host: '127.0.0.1', port }]))).toBe('mariadb');
    await closed;
  });
});
