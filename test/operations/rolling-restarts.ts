import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { findFreePort } from '../../scripts/machine/free-port.js';
import { ASSETS, change, publish, read } from '../support/assets.js';
import { runCli, ServiceProcess } from '../support/process.js';
import { type Sender, sendTo, zoneAtNoon } from '../support/registry.js';
import { Balancer } from './balancer.js';

const POLL_MS = 50;
const CLIENTS = 16;
/** A client that meets them gives up. */
const MAX_FAILURES = 20;
/** A little less than a test may take. */
const UP_MS = 170_000;

export interface RestartPlan {
  /** mysql://… of an empty database. */
  databaseUrl: string;
  restarts: number;
  /** DRAIN_DELAY of the instances. */
  drainSeconds: number;
}

export interface RestartReport {
  load: Load;
  /** Failures between the balancer and an instance. */
  faults: string[];
  /** Endings of instances other than exit code 0. */
  badEnds: string[];
  /** Duration of the schema change, during which both instances served. */
  schemaChangeMs: number;
}

/** Two instances behind a balancer are restarted in turn under load; half way, a column and an index are added under them. */
export async function rollRestarts(plan: RestartPlan): Promise<RestartReport> {
  const { code, output } = await runCli(['migrate'], { DATABASE_URL: plan.databaseUrl });
  if (code !== 0) throw new Error(`migrate failed: ${output}`);
  const instances = [await Instance.start(plan), await Instance.start(plan)];
  const balancer = await Balancer.open(instances.map(({ url }) => url));
  const load = new Load(balancer.url);
  let schemaChangeMs = NaN;
  try {
    for (let i = 0; i < plan.restarts; i++) {
      const instance = instances[i % instances.length] as Instance;
      await instance.restart();
      await untilUp(balancer, instance.url);
      if (i === Math.floor((plan.restarts - 1) / 2)) schemaChangeMs = await changeSchema(plan.databaseUrl);
    }
    await load.stop();
    return {
      load,
      faults: balancer.faults,
      badEnds: instances.flatMap(({ badEnds }) => badEnds),
      schemaChangeMs,
    };
  } finally {
    await balancer.close();
    for (const instance of instances) await instance.kill();
  }
}

/** Clients that create, publish, read, change and list, each one request after the other. Every answer but a success is a failure. */
class Load {
  answered = 0;
  readonly failures: string[] = [];
  private isOver = false;
  private readonly clients: Promise<void>[];

  constructor(private readonly url: string) {
    this.clients = Array.from({ length: CLIENTS }, () => this.run());
  }

  /** Sends no more and waits for the answers that are owed. */
  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.clients);
  }

  private async run(): Promise<void> {
    const registry: Sender = { send: (path, options) => sendTo(this.url, path, options) };
    while (!this.isOver && this.failures.length < MAX_FAILURES)
      try {
        const owned = await publish(registry);
        const listing = registry.send(`${ASSETS}?limit=20&descending=1`);
        const replies = [read(registry, owned), change(registry, owned, { title: 'x' }), listing];
        for (const { status, text } of await Promise.all(replies))
          if (status !== 200) throw new Error(`${status} ${text}`);
        this.answered += 2 + replies.length;
      } catch (error) {
        this.failures.push((error as Error).message);
      }
  }
}

/** One service process, always on the same port. */
class Instance {
  readonly badEnds: string[] = [];

  private constructor(
    readonly url: string,
    private readonly env: Record<string, string>,
    private process: ServiceProcess,
  ) {}

  static async start({ databaseUrl, drainSeconds }: RestartPlan): Promise<Instance> {
    const env = {
      DATABASE_URL: databaseUrl,
      PORT: String(await findFreePort()),
      DRAIN_DELAY: String(drainSeconds),
      TIME_ZONE: zoneAtNoon(),
    };
    const process = await ServiceProcess.start(env);
    return new Instance(process.url, env, process);
  }

  async restart(): Promise<void> {
    const { code, output } = await this.process.kill('SIGTERM');
    if (code !== 0) this.badEnds.push(`${code}: ${output.slice(-500)}`);
    this.process = await ServiceProcess.start(this.env);
  }

  async kill(): Promise<void> {
    await this.process.kill('SIGKILL');
  }
}

async function untilUp(balancer: Balancer, url: string): Promise<void> {
  const patience = performance.now() + UP_MS;
  while (!balancer.isUp(url)) {
    if (performance.now() > patience) throw new Error(`${url} was not seen up within ${UP_MS} ms`);
    await sleep(POLL_MS);
  }
}

/** Changes the schema as an additive migration does. @returns its duration in milliseconds */
async function changeSchema(databaseUrl: string): Promise<number> {
  const connection = await createConnection(databaseUrl);
  const began = performance.now();
  try {
    await connection.query('ALTER TABLE asset ADD COLUMN of_the_next_version INT NULL');
    await connection.query('CREATE INDEX asset_next ON asset (of_the_next_version)');
    return performance.now() - began;
  } finally {
    await connection.end();
  }
}
