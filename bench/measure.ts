import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon, { type Client, type Instance } from 'autocannon';
import { megabytesOf } from '../test/support/memory-use.js';
import { quantile } from '../test/support/quantile.js';
import type { DataSet } from './data-set.js';
import { requestsOf, WHOLE_PAGE } from './requests.js';
import type { Target } from './targets.js';
import { startMeter } from './usage.js';
import type { Kind } from './works.js';

/** How long and how often everything is measured in one run. */
export interface Settings {
  rounds: number;
  /** Length of each measurement. */
  ms: number;
}

/** A load on a target. */
export interface Job {
  target: Target;
  dataSet: DataSet;
  kind: Kind;
  connections: number;
}

/** Result of a load. */
export interface Figures {
  /** Assets per second for whole pages, otherwise answers per second. */
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Microseconds of processor time for each answer. */
  serviceUs: number;
  databaseUs: number;
  /** Processor seconds of the load generator per second: near 1 it is the bottleneck. */
  generatorCores: number;
  /** Resident memory of the service. */
  mb: number;
  /** Answers other than 2xx, and broken connections. */
  failed: number;
}

/** Warm-up before the first measurement of a work, until the code is compiled. */
const WARM_UP_MS = 3_000;
/** Warm-up before later measurements, when the code is compiled already. */
const AGAIN_MS = 300;
/** How often autocannon checks whether its time is over. */
const SAMPLE_MS = 50;
/** Factor for works with pages of whole assets: they are so slow that too few would be answered otherwise. */
const LONGER = 3;

/** Measures jobs alternately, reversing their order every other round, so that other load on the machine affects all equally. */
export async function measureInTurn(jobs: readonly Job[], { rounds, ms }: Settings): Promise<Figures[]> {
  for (const job of jobs) await measure(job, 0, WARM_UP_MS);
  const found = jobs.map((): Figures[] => []);
  for (let round = 1; round <= rounds; round++) {
    const order = [...jobs.keys()];
    for (const i of round % 2 === 1 ? order : order.toReversed())
      found[i]?.push(await measure(jobs[i] as Job, round, ms));
  }
  return found.map(medianOf);
}

/** The median of each figure; failures are added up. */
function medianOf(rounds: readonly Figures[]): Figures {
  const names = Object.keys(rounds[0] as Figures) as (keyof Figures)[];
  const medians = names.map((name) => {
    const values = rounds.map((round) => round[name]).toSorted((a, b) => a - b);
    return [name, name === 'failed' ? values.reduce((sum, value) => sum + value, 0) : quantile(values, 0.5)];
  });
  return Object.fromEntries(medians) as Figures;
}

async function measure(job: Job, seed: number, ms: number): Promise<Figures> {
  const { kind, target } = job;
  const isWhole = kind === 'whole' || kind === 'copy';
  const instance = startLoad(job, seed, AGAIN_MS + (isWhole ? LONGER * ms : ms));
  const done = once(instance, 'done');
  await sleep(AGAIN_MS);
  const times: number[] = [];
  let failed = 0;
  const count = (_client: unknown, status: number, _bytes: number, took: number): void => {
    if (status >= 200 && status < 300) times.push(took);
    else failed++;
  };
  const meter = startMeter(target.pids);
  const beganMs = performance.now();
  instance.on('response', count).on('reqError', () => failed++);
  await done;
  const { service, database, generator } = meter();
  const seconds = (performance.now() - beganMs) / 1_000;
  const usOf = (cpuSeconds: number): number => (cpuSeconds / times.length) * 1_000_000;
  return {
    perSecond: (times.length * (isWhole ? WHOLE_PAGE : 1)) / seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    serviceUs: usOf(service),
    databaseUs: usOf(database),
    generatorCores: generator / seconds,
    mb: megabytesOf(target.pids.service),
    failed,
  };
}

/** Every connection sends its next request when the last one is answered. */
function startLoad({ target, dataSet, kind, connections }: Job, seed: number, ms: number): Instance {
  let connection = 0;
  const options = {
    url: target.url,
    connections,
    duration: ms / 1_000,
    sampleInt: SAMPLE_MS,
    setupClient: (client: Client) => client.setRequests(requestsOf(kind, dataSet, seed * 1_000 + connection++)),
  };
  return autocannon(options, () => undefined);
}
