import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { findFreePort } from '../../scripts/machine/free-port.js';
import { runCli, ServiceProcess } from '../support/process.js';
import { Random } from '../support/random.js';
import { zoneAtNoon } from '../support/registry.js';
import { Balancer } from './balancer.js';
import { type LoadReport, OpenLoad } from './open-load.js';

const POLL_MS = 50;
/** A little less than a test may take. */
const UP_MS = 170_000;

export interface RestartPlan {
  /** mysql://… of an empty database. */
  databaseUrl: string;
  restarts: number;
  /** Requests a second. */
  rate: number;
  /** DRAIN_DELAY of the instances. */
  drainSeconds: number;
  seed: number;
}

export interface RestartReport {
  load: LoadReport;
  /** What went wrong between the balancer and an instance. */
  faults: string[];
  /** How instances ended that did not end with 0. */
  badEnds: string[];
  /** What the change of the schema took; both instances served meanwhile. */
  schemaChangeMs: number;
}

/** Two instances behind a balancer are restarted in turn under load; half way, a column and an index are added under them. */
export async function rollRestarts(plan: RestartPlan): Promise<RestartReport> {
  const { code, output } = await runCli(['migrate'], { DATABASE_URL: plan.databaseUrl });
  if (code !== 0) throw new Error(`migrate failed: ${output}`);
  const instances = [await Instance.start(plan), await Instance.start(plan)];
  const balancer = await Balancer.open(instances.map(({ url }) => url));
  const load = new OpenLoad(balancer.url, plan.rate, new Random(plan.seed));
  let schemaChangeMs = NaN;
  try {
    await load.start();
    for (let i = 0; i < plan.restarts; i++) {
      const instance = instances[i % instances.length] as Instance;
      await instance.restart();
      await untilUp(balancer, instance.url);
      if (i === Math.floor((plan.restarts - 1) / 2)) schemaChangeMs = await changeSchema(plan.databaseUrl);
    }
    const report = await load.stop();
    return {
      load: report,
      faults: balancer.faults,
      badEnds: instances.flatMap(({ badEnds }) => badEnds),
      schemaChangeMs,
    };
  } finally {
    await balancer.close();
    for (const instance of instances) await instance.kill();
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

/** What an additive migration does. @returns its duration in milliseconds */
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
