import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const IDLE_CHECK_MS = 100;

/**
 * Ends a server's connections without failing a request. Closing a connection would fail a request that is on its way, so from `begin` on
 * each answer says `Connection: close`, and only connections that are idle after that are closed.
 */
export class Drain {
  private readonly newest = new Map<Socket, ServerResponse>();
  private begun = false;

  constructor(private readonly server: Server) {
    // Registered before Express, so that it sees the answers of all layers.
    server.prependListener('request', (request, response) => this.note(request, response));
  }

  /** From now on every answer carries `Connection: close`, those to earlier requests too. New connections are still accepted. */
  begin(): void {
    this.begun = true;
    for (const response of this.newest.values()) if (!response.headersSent) response.setHeader('Connection', 'close');
  }

  /**
   * Stops listening and waits until what is being answered is answered.
   * @param limitMs after which the remaining connections are cut
   * @returns the number of connections that were cut
   */
  async end(limitMs: number): Promise<number> {
    const { server } = this;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
    let cut = 0;
    const limit = setTimeout(() => {
      server.getConnections((_error, count) => {
        cut = count;
        server.closeAllConnections();
      });
    }, limitMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(limit);
    return cut;
  }

  private note({ socket }: IncomingMessage, response: ServerResponse): void {
    if (this.begun) {
      // A pipelined request: the answer before it must not close the connection.
      const before = this.newest.get(socket);
      if (before?.headersSent === false) before.removeHeader('Connection');
      response.setHeader('Connection', 'close');
    }
    this.newest.set(socket, response);
    response.once('close', () => {
      if (this.newest.get(socket) === response) this.newest.delete(socket);
    });
  }
}
