import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ASSETS, assetBody } from '../support/assets.js';
import { quantile } from '../support/quantile.js';

/** Pauses of the reader and of the writer: they stay below their rate limits. */
const PAUSE_MS = { read: 25, write: 100 };

export interface Answer {
  status: number;
  text: string;
}

interface Sent {
  key?: string;
  body?: string;
  accept?: string;
}

export class Client {
  private readonly agent: Agent;

  /** @param address source address: rate limits count each separately */
  constructor(
    private readonly url: string,
    private readonly address = '127.0.0.1',
  ) {
    this.agent = new Agent({ keepAlive: true, localAddress: address });
  }

  send(method: string, path: string, { key, body, accept }: Sent = {}): Promise<Answer> {
    const headers = {
      ...(key && { Authorization: `Bearer ${key}` }),
      ...(body && { 'Content-Type': 'application/json' }),
      ...(accept && { Accept: accept }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(this.url + path, { method, agent: this.agent, headers }, (response) => {
        text(response).then((all) => resolve({ status: response.statusCode ?? 0, text: all }), reject);
      });
      sent.once('error', reject);
      sent.end(body);
    });
  }

  /** Sends on a new connection. @param requests the last one closes it @returns the first answer's status, and all answers as text */
  async sendTogether(requests: string): Promise<Answer> {
    const { hostname, port } = new URL(this.url);
    const socket = connect({ host: hostname, port: Number(port), localAddress: this.address });
    socket.write(requests);
    const answers = await text(socket);
    return { status: Number(answers.split(' ')[1]), text: answers };
  }

  close(): void {
    this.agent.destroy();
  }
}

/** Quality of service; times in milliseconds. */
export interface Served {
  readsP99: number;
  writesP99: number;
  /** Requests with an unexpected answer. */
  failed: string[];
}

/** A client that reads and one that writes continuously, during an attack. */
export class BackgroundClients {
  private ends = false;
  private readonly failed: string[] = [];
  private readonly client: Client;
  private readonly running: Promise<number[][]>;

  constructor(url: string) {
    this.client = new Client(url, '127.0.0.2');
    const body = JSON.stringify(assetBody());
    this.running = Promise.all([
      this.repeat(PAUSE_MS.read, 200, () => this.client.send('GET', `${ASSETS}?limit=10`)),
      this.repeat(PAUSE_MS.write, 201, () => this.client.send('POST', ASSETS, { key: 'broker2', body })),
    ]);
  }

  async stop(): Promise<Served> {
    this.ends = true;
    const [reads = [], writes = []] = await this.running;
    this.client.close();
    return { readsP99: quantile(reads, 0.99), writesP99: quantile(writes, 0.99), failed: this.failed };
  }

  /** @returns the duration of each request, in milliseconds */
  private async repeat(pauseMs: number, expected: number, ask: () => Promise<Answer>): Promise<number[]> {
    const durationsMs: number[] = [];
    while (!this.ends) {
      const began = performance.now();
      const failure = await ask().then(
        ({ status }) => (status === expected ? undefined : `answered ${status}`),
        (error: Error) => error.message,
      );
      durationsMs.push(performance.now() - began);
      if (failure !== undefined) this.failed.push(failure);
      await sleep(pauseMs);
    }
    return durationsMs;
  }
}
