import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const IDLE_CHECK_MS = 100;

/**
 * The end of a server's connections. A connection that is closed while a request is on its way fails that request, so from `begin` on each
 * answer says that it is the last of its connection, and only what is idle after that is closed.
 */
export class Drain {
  private readonly newest = new Map<Socket, ServerResponse>();
  private begun = false;

  constructor(private readonly server: Server) {
    // Before Express, so that the answers of all layers are reached.
    server.prependListener('request', (request, response) => this.note(request, response));
  }

  /** From now on every answer carries `Connection: close`, also those that are already owed. New connections are still taken. */
  begin(): void {
    this.begun = true;
    for (const response of this.newest.values()) if (!response.headersSent) response.setHeader('Connection', 'close');
  }

  /**
   * Stops listening and waits until what is being answered is answered.
   * @param limitMs then the connections that are left are cut
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
      // One that was sent behind another without waiting has to be answered as well.
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
