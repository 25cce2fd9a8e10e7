import { Agent, request } from 'undici';
import { ASSETS } from '../support/assets.js';
import { observeAnswer } from '../support/observed-answers.js';
import { contentOf, instantUs, type ShownAsset } from './content.js';
import type { History } from './history.js';

const TIMEOUT_MS = 10_000;

/** An answer and its times; status 0 means no complete answer. */
export interface Answer {
  status: number;
  text: string;
  invoked: number;
  returned: number;
}

export interface Sent {
  method?: 'GET' | 'POST' | 'PATCH';
  headers?: Record<string, string>;
  body?: string;
}

/** Sends requests to the services of a run over keep-alive connections, and records their durations in the history. */
export class Client {
  private readonly agent = new Agent({
    connections: 64,
    pipelining: 1,
    connect: { timeout: TIMEOUT_MS },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });

  /** @param urls by node, without a trailing slash */
  constructor(
    private readonly history: History,
    readonly urls: readonly string[],
  ) {}

  /** Never throws: without a complete answer within 10 s the status is 0. */
  async send(node: number, path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Answer> {
    const invoked = performance.now();
    const { status, text } = await this.attempt(`${this.urls[node]}${path}`, { method, headers, body });
    const returned = performance.now();
    // The `wait` that a request asked for does not count as its duration.
    this.history.recordRequest({ node, invoked: invoked + waitMsOf(path), returned });
    if (status === 500) this.history.complain(`${method} ${path} was answered 500: ${text}`);
    return { status, text, invoked, returned };
  }

  /**
   * Reads an asset that must exist, by its id.
   * @param client number of the reading client
   * @param floorUs the client already knows the asset as of this instant
   */
  async readDetail(node: number, client: number, id: string, floorUs: number): Promise<void> {
    const { status, text, invoked, returned } = await this.send(node, `${ASSETS}/${id}`);
    if (status === 200) {
      const { data } = JSON.parse(text) as { data: ShownAsset };
      const [asset, us] = [this.history.assetOf(id), instantUs(data.dateModified)];
      this.history.details.push({ client, asset, invoked, returned, us, floorUs, content: contentOf(data) });
    } else if (status !== 0 && status !== 503) {
      this.history.complain(`GET of asset ${id}, which was shown before, was answered ${status}: ${text}`);
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async attempt(url: string, sent: Sent): Promise<{ status: number; text: string }> {
    try {
      const reply = await request(url, { ...sent, dispatcher: this.agent });
      const [status, text] = [reply.statusCode, await reply.body.text()];
      const headers = new Map(Object.entries(reply.headers).map(([name, value]) => [name, String(value)]));
      const { origin, pathname, search } = new URL(url);
      observeAnswer(origin, { method: sent.method ?? 'GET', path: pathname + search, status, headers, text });
      return { status, text };
    } catch {
      return { status: 0, text: '' };
    }
  }
}

function waitMsOf(path: string): number {
  return Number(/[?&]wait=(\d+)/.exec(path)?.[1] ?? 0) * 1_000;
}
