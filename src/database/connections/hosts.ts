import { createConnection, type Socket } from 'node:net';
import type { HostAddress } from '../../platform/config/database-url.js';

/** TCP keep-alive: shorter than firewalls keep idle connections. */
const KEEP_ALIVE_MS = 10_000;

export function openSocket({ host, port }: HostAddress): Socket {
  const socket = createConnection({ port, host, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
  // For an IP address the driver gives Node.js no name to check the certificate for: without `_host` it would check "localhost".
  return Object.assign(socket, { _host: host });
}

/**
 * The hosts of DATABASE_URL. One is used at a time, for reads and writes: so a read never misses an acknowledged write, and two nodes of a
 * cluster don't conflict over the clock.
 */
export class Hosts {
  current: HostAddress;
  private readonly sockets = new Set<Socket>();

  /** @param all in the order of preference, at least one */
  constructor(readonly all: readonly HostAddress[]) {
    this.current = all[0] as HostAddress;
  }

  /** Opens a connection of a pool to the host in use. */
  connect(): Socket {
    const socket = openSocket(this.current);
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    return socket;
  }

  /** Ends every connection at once. With an error, because the driver would otherwise report the end of a TLS connection twice. */
  dropConnections(): void {
    for (const socket of this.sockets)
      socket.destroy(Object.assign(new Error('The connection was cut'), { code: 'ECONNRESET' }));
  }
}
