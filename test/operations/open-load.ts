import { Agent, request } from 'undici';
import { ASSETS, assetBody } from '../support/assets.js';
import { Random } from '../support/random.js';
import { basic } from '../support/registry.js';

const TICK_MS = 10;
const TIMEOUT_MS = 10_000;
const FIRST_ASSETS = 20;
const KEPT_FAILURES = 20;
const MAX_OWNED = 10_000;

interface Owned {
  id: string;
  token: string;
}

interface Sent {
  what: string;
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  body?: object;
  token?: string;
}

/** What a load has seen so far. */
export interface LoadReport {
  answered: number;
  failed: number;
  /** The first failures, as text. */
  failures: string[];
}

/**
 * A fixed number of requests a second, whether earlier ones are answered or not: half of them reads of an asset, a fifth listings, the
 * others creations and changes. Nothing is repeated; every answer but a success is a failure.
 */
export class OpenLoad {
  readonly report: LoadReport = { answered: 0, failed: 0, failures: [] };
  private readonly agent = new Agent({ connections: 128, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  private readonly owned: Owned[] = [];
  private readonly underWay = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly url: string,
    private readonly perSecond: number,
    private readonly random: Random,
  ) {}

  async start(): Promise<void> {
    for (let i = 0; i < FIRST_ASSETS; i++) await this.send(this.creation());
    const began = performance.now();
    let sent = 0;
    this.timer = setInterval(() => {
      const due = ((performance.now() - began) / 1_000) * this.perSecond;
      for (; sent < due; sent++) this.launch();
    }, TICK_MS);
  }

  /** Sends no more and waits for the answers that are owed. */
  async stop(): Promise<LoadReport> {
    clearInterval(this.timer);
    await Promise.all(this.underWay);
    await this.agent.close();
    return this.report;
  }

  private launch(): void {
    const sending = this.send(this.next());
    this.underWay.add(sending);
    void sending.finally(() => this.underWay.delete(sending));
  }

  private next(): Sent {
    const dice = this.random.next();
    const { id, token } = this.random.pick(this.owned);
    if (dice < 0.5) return { what: 'read', method: 'GET', path: `${ASSETS}/${id}` };
    if (dice < 0.7) return { what: 'listing', method: 'GET', path: `${ASSETS}?limit=20&descending=1` };
    if (dice < 0.85) return this.creation();
    const description = `changed ${this.random.int(0, 1_000_000)}`;
    return { what: 'change', method: 'PATCH', path: `${ASSETS}/${id}`, token, body: { data: { description } } };
  }

  private creation(): Sent {
    return { what: 'creation', method: 'POST', path: ASSETS, body: assetBody() };
  }

  private async send({ what, method, path, body, token }: Sent): Promise<void> {
    try {
      const headers = {
        ...(body !== undefined && { 'Content-Type': 'application/json', Authorization: basic('broker') }),
        ...(token !== undefined && { 'X-Access-Token': token }),
      };
      const sent = {
        method,
        headers,
        dispatcher: this.agent,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      };
      const reply = await request(this.url + path, sent);
      const text = await reply.body.text();
      if (reply.statusCode >= 300) throw new Error(`${reply.statusCode} ${text}`);
      if (what === 'creation') this.keep(text);
      this.report.answered++;
    } catch (error) {
      this.report.failed++;
      if (this.report.failures.length < KEPT_FAILURES)
        this.report.failures.push(`${what}: ${(error as Error).message}`);
    }
  }

  private keep(text: string): void {
    const { data, access } = JSON.parse(text) as { data: { id: string }; access: { token: string } };
    this.owned[this.owned.length < MAX_OWNED ? this.owned.length : this.random.int(0, MAX_OWNED - 1)] = {
      id: data.id,
      token: access.token,
    };
  }
}
