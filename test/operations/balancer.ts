import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const CHECK_MS = 250;
/** Generous, so that a busy machine does not look like an instance that is down. */
const CHECK_PATIENCE_MS = 5_000;
const FALL = 2;
const RISE = 2;

interface Instance {
  url: string;
  isUp: boolean;
  /** Checks in a row that said the opposite of `isUp`. */
  contradictions: number;
  isAsked: boolean;
}

/**
 * A load balancer as nginx or HAProxy: it checks health, reuses connections and repeats no request, so that
 * a client sees every connection that an instance breaks.
 */
export class Balancer {
  /** Failures between the balancer and an instance. */
  readonly faults: string[] = [];
  private readonly agent = new Agent({ keepAlive: true, maxFreeSockets: 256 });
  /** Never closes idle client connections, because a client may be sending at that moment. */
  private readonly server = createServer({ keepAliveTimeout: 0 }, (request, response) => this.relay(request, response));
  private readonly instances: Instance[];
  private readonly checks: NodeJS.Timeout;
  private turn = 0;

  private constructor(urls: readonly string[]) {
    this.instances = urls.map((url) => ({ url, isUp: true, contradictions: 0, isAsked: false }));
    this.checks = setInterval(() => this.instances.forEach((instance) => void this.check(instance)), CHECK_MS);
  }

  static async open(urls: readonly string[]): Promise<Balancer> {
    const balancer = new Balancer(urls);
    balancer.server.listen(0, '127.0.0.1');
    await once(balancer.server, 'listening');
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  isUp(url: string): boolean {
    return this.instances.some((instance) => instance.url === url && instance.isUp);
  }

  async close(): Promise<void> {
    clearInterval(this.checks);
    this.agent.destroy();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private relay(request: IncomingMessage, response: ServerResponse): void {
    const up = this.instances.filter(({ isUp }) => isUp);
    const instance = up[this.turn++ % up.length];
    if (instance === undefined) {
      this.faults.push('no instance is up');
      response.writeHead(502).end();
      return;
    }
    const { method, headers, url = '/' } = request;
    const fail = (error: NodeJS.ErrnoException): void => {
      this.faults.push(`${method} ${instance.url}: ${error.code ?? error.message}`);
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    };
    const options = { method, headers, agent: this.agent };
    const upstream = httpRequest(new URL(url, instance.url), options, (answer) => {
      const { connection: _connection, 'keep-alive': _keepAlive, ...kept } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, kept);
      answer.on('error', fail).pipe(response);
    });
    request.pipe(upstream.on('error', fail));
  }

  private async check(instance: Instance): Promise<void> {
    if (instance.isAsked) return;
    instance.isAsked = true;
    const isReady = await this.ask(instance.url);
    instance.isAsked = false;
    instance.contradictions = isReady === instance.isUp ? 0 : instance.contradictions + 1;
    if (instance.contradictions < (instance.isUp ? FALL : RISE)) return;
    instance.isUp = isReady;
    instance.contradictions = 0;
  }

  private async ask(url: string): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(CHECK_PATIENCE_MS);
      const asked = httpRequest(`${url}/health/ready`, { agent: false, signal }).end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      asked.on('error', () => undefined);
      answer.on('error', () => undefined).resume();
      return answer.statusCode === 200;
    } catch {
      return false;
    }
  }
}
