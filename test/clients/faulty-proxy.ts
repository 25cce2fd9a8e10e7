import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/**
 * What is done with a request that is to wait: passed on; passed on without `wait`, as an older registry takes it; cut; or left without an
 * answer.
 */
type Treatment = 'pass' | 'ignore' | 'cut' | 'hold';

/** Stands between a client and the registry, as a proxy that loses answers or may not let requests wait, or as an older registry. */
export class FaultyProxy {
  treatment: Treatment = 'pass';
  /** So many answers are lost: the registry has done what was asked, and its client's connection breaks. */
  lose = 0;
  /** What the registry's Backoff is replaced by, in seconds. */
  backoff: number | undefined;
  /** Requests with `wait`: so many came, and so many of these are not answered yet. */
  came = 0;
  pending = 0;

  /** @param target the registry, `http://…`; another one may take its place */
  private constructor(
    public target: string,
    private readonly server: Server,
  ) {
    server.on('request', (received, response) => this.take(received, response));
  }

  static async open(target: string): Promise<FaultyProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FaultyProxy(target, server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Cuts every connection there is. */
  cut(): void {
    this.server.closeAllConnections();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.cut();
    await closed;
  }

  private take(received: IncomingMessage, response: ServerResponse): void {
    const url = new URL(received.url as string, this.target);
    if (!url.searchParams.has('wait')) return this.forward(url, received, response);
    this.came++;
    this.pending++;
    response.once('close', () => this.pending--);
    if (this.treatment === 'cut') received.socket.destroy();
    else if (this.treatment !== 'hold') {
      if (this.treatment === 'ignore') url.searchParams.delete('wait');
      this.forward(url, received, response);
    }
  }

  private forward(url: URL, received: IncomingMessage, response: ServerResponse): void {
    const { method, headers } = received;
    const sent = request(url, { ...(method !== undefined && { method }), headers }, (answer) => {
      if (this.lose > 0) {
        this.lose--;
        answer.destroy();
        response.destroy();
        return;
      }
      const backoff = answer.headers.backoff !== undefined && this.backoff !== undefined && { backoff: this.backoff };
      response.writeHead(answer.statusCode as number, { ...answer.headers, ...backoff });
      pipeline(answer, response, () => undefined);
    });
    // As with the registry itself: its client's connection breaks too.
    sent.on('error', () => response.destroy());
    response.once('close', () => sent.destroy());
    received.pipe(sent);
  }
}
