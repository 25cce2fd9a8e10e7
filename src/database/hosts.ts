import { createConnection, type Socket } from 'node:net';
import type { HostAddress } from '../config/database-url.js';

const KEEP_ALIVE_MS = 10_000;

/** A connection to a host, as the driver speaks over it. */
export function openSocket({ host, port }: HostAddress): Socket {
  const socket = createConnection({ port, host });
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  // A certificate is checked for the name that the driver says, and it says none for an address. Then Node.js takes what it finds here,
  // and where it finds nothing, "localhost".
  return Object.assign(socket, { _host: host });
}

/**
 * The hosts of DATABASE_URL. One of them is used at a time, for reads and writes: so reads are never older than what was acknowledged,
 * and two nodes of a cluster do not fight over the clock. Every connection of the pools is opened here, and so can be cut here.
 */
export class Hosts {
  private used: HostAddress;
  private readonly sockets = new Set<Socket>();

  /** @param all in the order of preference, at least one */
  constructor(readonly all: readonly HostAddress[]) {
    this.used = all[0] as HostAddress;
  }

  get current(): HostAddress {
    return this.used;
  }

  /** A connection to the host in use; the stream that the driver speaks over. */
  connect(): Socket {
    const socket = openSocket(this.used);
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    return socket;
  }

  use(host: HostAddress): void {
    this.used = host;
  }

  /**
   * Ends every connection at once, so that nothing waits for a host that does not answer. With an error, or the driver would tell of an
   * encrypted one twice: that it is gone, and that its end cannot be said to the server any more.
   */
  cut(): void {
    for (const socket of this.sockets)
      socket.destroy(Object.assign(new Error('The connection was cut'), { code: 'ECONNRESET' }));
  }
}
