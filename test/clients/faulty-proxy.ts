import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** Handling of requests with `wait`: forwarded; forwarded without `wait`, as an older registry does; cut; or left unanswered. */
type Treatment = 'pass' | 'ignore' | 'cut' | 'stall';

/** A proxy between client and registry that loses answers, forbids long polls, or behaves like an older registry. */
export class FaultyProxy {
  treatment: Treatment = 'pass';
  /** Number of answers to lose: the registry has done the request, but the client's connection breaks. */
  lose = 0;
  /** Replaces the registry's Backoff header; in seconds. */
  backoff: number | undefined;
  /** Number of requests with `wait`, and of those that are unanswered. */
  came = 0;
  pending = 0;

  /** @param target the registry, `http://…`; may be replaced */
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
    else if (this.treatment !== 'stall') {
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
