import type { DataSet } from './data-set/data-set.js';
import { type Figures, figuresOf, medianOf } from './figures.js';
import type { PutLoad } from './load/generators.js';
import type { Plan } from './load/plan.js';
import { WHOLE_PAGE } from './load/requests.js';
import type { Pair, Target } from './targets.js';
import { COPIED, type Work } from './works.js';

/** How everything is measured in one run. */
export interface Settings {
  rounds: number;
  /** Of each measurement. */
  ms: number;
  connections: number;
}

/** Where works are measured. */
export interface Bench {
  settings: Settings;
  pair: Pair;
  dataSet: DataSet;
  /** Of the database's server; none on SQLite. */
  databasePids: number[];
  putLoad: PutLoad;
  /** Generator processes to begin with. */
  generators: number;
}

export interface Measured {
  floor: Figures;
  registry: Figures;
  /** In the order in which they were measured. */
  rounds: { target: keyof Pair; figures: Figures }[];
  generators: number;
}

const WARM_UP_MS = 1_000;
/** Before each measurement, when it has been warm before. */
const AGAIN_MS = 300;
/** A generator that is busier than that may be what limits. */
const MOST_GENERATOR_SHARE = 0.8;

/**
 * Measures floor and registry in turn, so that whatever else the machine does meets both.
 * @param perSecond of a paced work
 */
export async function measure(bench: Bench, work: Work, perSecond = 0): Promise<Measured> {
  const run = (name: keyof Pair, seed: number, ms: number, generators: number): Promise<Figures> =>
    runOnce(bench, work, name, { seed, ms, perSecond }, generators);
  let { generators } = bench;
  for (const name of ['floor', 'registry'] as const) {
    const { generatorShare } = await run(name, 0, Math.min(bench.settings.ms, WARM_UP_MS), generators);
    if (generatorShare > MOST_GENERATOR_SHARE) generators = Math.max(generators, 2);
  }
  const rounds: Measured['rounds'] = [];
  for (let round = 1; round <= bench.settings.rounds; round++) {
    const order = round % 2 === 1 ? (['floor', 'registry'] as const) : (['registry', 'floor'] as const);
    for (const target of order)
      rounds.push({ target, figures: await run(target, round, bench.settings.ms, generators) });
  }
  const median = (name: keyof Pair): Figures =>
    medianOf(rounds.filter(({ target }) => target === name).map(({ figures }) => figures));
  return { floor: median('floor'), registry: median('registry'), rounds, generators };
}

async function runOnce(
  bench: Bench,
  work: Work,
  name: keyof Pair,
  timing: Pick<Plan, 'seed' | 'ms' | 'perSecond'>,
  generators: number,
): Promise<Figures> {
  const mode = name === 'floor' ? (work.floorMode ?? work.mode) : work.mode;
  const { settings, pair, dataSet, databasePids } = bench;
  const target: Target = pair[name];
  const plan: Plan = {
    mode,
    url: target.url,
    connections: work.connections ?? settings.connections,
    kind: work.kind,
    warmUpMs: Math.min(AGAIN_MS, settings.ms),
    ...timing,
    count: Math.min(COPIED, dataSet.size),
    size: dataSet.size,
    pids: { service: target.pids, database: databasePids },
  };
  return figuresOf(await bench.putLoad(plan, generators), assetsIn(work, mode));
}

/** In each answer; a copy counts by itself. */
function assetsIn({ kind }: Work, mode: Plan['mode']): number {
  return kind === 'whole' && mode === 'closed' ? WHOLE_PAGE : 1;
}
