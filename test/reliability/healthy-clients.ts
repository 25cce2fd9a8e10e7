import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from './quantile.js';

const PATH = '/api/0.1/assets?limit=10';
const CLIENTS = 5;
const PAUSE_MS = 10;

/** How requests of one kind went, in milliseconds. */
export interface Health {
  requests: number;
  failures: number;
  p50: number;
  p99: number;
}

export interface HealthByConnection {
  keptAlive: Health;
  new: Health;
}

/** Clients that read the listing all the time, some on connections that they keep, some on a new one for each request. */
export class HealthyClients {
  private readonly agent = new Agent({ keepAlive: true });
  private taken: Record<keyof HealthByConnection, number[]> = { keptAlive: [], new: [] };
  private failures: Record<keyof HealthByConnection, number> = { keptAlive: 0, new: 0 };
  private ends = false;
  private readonly running: Promise<unknown>;

  constructor(private readonly url: string) {
    const clients = Array.from({ length: CLIENTS }, () => [this.run('keptAlive'), this.run('new')]);
    this.running = Promise.all(clients.flat());
  }

  /** What was since the last call. */
  take(): HealthByConnection {
    const { taken, failures } = this;
    this.taken = { keptAlive: [], new: [] };
    this.failures = { keptAlive: 0, new: 0 };
    return { keptAlive: healthOf(taken.keptAlive, failures.keptAlive), new: healthOf(taken.new, failures.new) };
  }

  async stop(): Promise<void> {
    this.ends = true;
    await this.running;
    this.agent.destroy();
  }

  private async run(kind: keyof HealthByConnection): Promise<void> {
    while (!this.ends) {
      const began = performance.now();
      if ((await this.ask(kind)) === 200) this.taken[kind].push(performance.now() - began);
      else this.failures[kind]++;
      await sleep(PAUSE_MS);
    }
  }

  private ask(kind: keyof HealthByConnection): Promise<number | undefined> {
    return new Promise((resolve) => {
      const agent = kind === 'keptAlive' ? this.agent : false;
      const request = get(this.url + PATH, { agent, timeout: 30_000 }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      });
      request.once('error', () => resolve(undefined));
    });
  }
}

function healthOf(taken: number[], failures: number): Health {
  return { requests: taken.length, failures, p50: quantile(taken, 0.5), p99: quantile(taken, 0.99) };
}
