import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { cutConnection } from './cut-connection.js';
import type { RegistryResponse } from './request.js';

const IDLE_CHECK_MS = 100;

interface ConnectionState {
  /** The answer to the connection's newest request, unless it is over. */
  newest: RegistryResponse | undefined;
}

/**
 * Ends a server's connections without failing a request. Closing a connection would fail a request that is on its way, so from `begin` on
 * each answer says `Connection: close`, and only connections that are idle after that are closed.
 */
export class Drain {
  private readonly open = new Map<Socket, ConnectionState>();
  private begun = false;

  constructor(private readonly server: Server) {
    server.prependListener('connection', (socket: Socket) => {
      this.open.set(socket, { newest: undefined });
      socket.once('close', () => this.open.delete(socket));
    });
    // Registered before Express, so that it sees the answers of all layers.
    server.prependListener('request', (_request, response) => this.note(response as RegistryResponse));
  }

  /** From now on every answer carries `Connection: close`, those to earlier requests too. New connections are still accepted. */
  begin(): void {
    this.begun = true;
    for (const { newest } of this.open.values())
      if (newest?.headersSent === false) newest.setHeader('Connection', 'close');
  }

  /**
   * Stops listening and waits for the answers to running requests.
   * @param limitMs after which the remaining connections are cut
   * @returns the number of connections that were cut
   */
  async end(limitMs: number): Promise<number> {
    const { server } = this;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    let cut = 0;
    const limit = setTimeout(() => {
      cut = this.open.size;
      // Node's closeAllConnections() misses those that asked for a tunnel (CONNECT).
      for (const socket of this.open.keys()) cutConnection(socket, 'the drain has ended');
    }, limitMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(limit);
    return cut;
  }

  private note(response: RegistryResponse): void {
    const state = this.open.get(response.req.socket);
    if (state === undefined) return;
    if (this.begun) {
      // A pipelined request: the answer before it must not close the connection.
      if (state.newest?.headersSent === false) state.newest.removeHeader('Connection');
      response.setHeader('Connection', 'close');
    }
    state.newest = response;
    response.once('close', () => {
      if (state.newest === response) state.newest = undefined;
    });
  }
}
