import { createConnection, type Socket } from 'node:net';
import type { HostAddress } from '../../platform/config/database-url.js';

/** How long a connection is idle before the system asks whether the other side is there: less than firewalls keep idle ones. */
const KEEP_ALIVE_MS = 10_000;

/** Opens a connection to a host, for the driver to speak over. */
export function openSocket({ host, port }: HostAddress): Socket {
  const socket = createConnection({ port, host, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
  // Node.js checks a certificate for this name where the driver gives none, as for an address; without it, for "localhost".
  return Object.assign(socket, { _host: host });
}

/**
 * The hosts of DATABASE_URL. One of them is used at a time, for reads and writes: so reads are never older than what was acknowledged,
 * and two nodes of a cluster do not fight over the clock.
 */
export class Hosts {
  current: HostAddress;
  private readonly sockets = new Set<Socket>();

  /** @param all in the order of preference, at least one */
  constructor(readonly all: readonly HostAddress[]) {
    this.current = all[0] as HostAddress;
  }

  /** Opens a connection to the host in use: every one of the pools. */
  connect(): Socket {
    const socket = openSocket(this.current);
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    return socket;
  }

  /** Ends every connection at once. With an error, else the driver reports the end of an encrypted one twice. */
  cut(): void {
    for (const socket of this.sockets)
      socket.destroy(Object.assign(new Error('The connection was cut'), { code: 'ECONNRESET' }));
  }
}
