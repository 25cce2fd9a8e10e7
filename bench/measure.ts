import { type Figures, figuresOf, medianOf } from './figures.js';
import type { PutLoad } from './load/generators.js';
import type { Plan } from './load/plan.js';
import { WHOLE_PAGE } from './load/requests.js';
import { type ByServer, eachServer } from './servers.js';
import type { Target } from './targets.js';
import { COPIED, type Work } from './works.js';

/** How everything is measured in one run. */
export interface Settings {
  rounds: number;
  /** Of each measurement. */
  ms: number;
  connections: number;
}

/** What measures. */
export interface Bench {
  settings: Settings;
  /** Of the database's server; none on SQLite. */
  databasePids: number[];
  putLoad: PutLoad;
  /** Generator processes to begin with. */
  generators: number;
}

/** A load on a target. */
export interface Job {
  target: Target;
  load: Pick<Plan, 'mode' | 'kind'>;
  /** Where it is not what the settings say. */
  connections?: number | undefined;
  /** Requests a second of a paced load. */
  perSecond?: number | undefined;
}

/** What jobs have come to, in the order in which they were given. */
export interface Compared {
  medians: Figures[];
  rounds: Figures[][];
  generators: number;
}

export interface Measured extends ByServer<Figures> {
  rounds: ByServer<Figures>[];
  generators: number;
}

/** For each process of a target: each compiles its code by itself, and has only its share of the requests. */
const WARM_UP_MS = 1_000;
/** Before each measurement, when it has been warm before. */
const AGAIN_MS = 300;
/** A generator that is busier than that may be what limits. */
const MOST_GENERATOR_SHARE = 0.8;
/** A page of whole assets takes so long that there are few in a measurement, and all connections get theirs at about the same time. */
const LONGER = 3;

/** @param perSecond of a paced work */
export async function measure(bench: Bench, targets: ByServer<Target>, work: Work, perSecond = 0): Promise<Measured> {
  const { kind, mode, connections, floorMode = mode } = work;
  const servers = eachServer(targets);
  const jobs = servers.map(([name, target]) => {
    const load = { kind, mode: name === 'registry' ? mode : floorMode };
    return { target, load, connections, perSecond };
  });
  const { medians, rounds, generators } = await compare(bench, jobs);
  const named = (figures: readonly Figures[]): ByServer<Figures> =>
    Object.fromEntries(servers.map(([name], i) => [name, figures[i]])) as unknown as ByServer<Figures>;
  return { ...named(medians), rounds: rounds.map(named), generators };
}

/** Measures jobs in turn, so that whatever else the machine does meets all of them. */
export async function compare(bench: Bench, jobs: readonly Job[]): Promise<Compared> {
  const { settings } = bench;
  let { generators } = bench;
  for (const job of jobs) {
    const warmUpMs = Math.min(settings.ms, WARM_UP_MS) * job.target.pids.length;
    const { generatorShare } = await runOnce(bench, job, 0, warmUpMs, generators);
    if (generatorShare > MOST_GENERATOR_SHARE) generators = Math.max(generators, 2);
  }
  const rounds: Figures[][] = [];
  const places = jobs.map((_, i) => i);
  for (let round = 1; round <= settings.rounds; round++) {
    const figures: Figures[] = [];
    for (const i of round % 2 === 1 ? places : places.toReversed())
      figures[i] = await runOnce(bench, jobs[i] as Job, round, settings.ms, generators);
    rounds.push(figures);
  }
  const medians = places.map((i) => medianOf(rounds.map((figures) => figures[i] as Figures)));
  return { medians, rounds, generators };
}

async function runOnce(
  { settings, databasePids, putLoad }: Bench,
  { target, load, connections = settings.connections, perSecond = 0 }: Job,
  seed: number,
  ms: number,
  generators: number,
): Promise<Figures> {
  const isLong = load.mode === 'closed' && load.kind === 'whole';
  const plan: Plan = {
    ...load,
    url: target.url,
    further: target.further ?? [],
    connections,
    warmUpMs: Math.min(AGAIN_MS, settings.ms),
    ms: isLong ? ms * LONGER : ms,
    perSecond,
    seed,
    count: Math.min(COPIED, target.size),
    size: target.size,
    pids: { service: target.pids, database: databasePids },
  };
  return figuresOf(await putLoad(plan, generators), isLong ? WHOLE_PAGE : 1);
}
