import { faultOptions, type FaultProfile } from './fault-profiles.js';
import { judgeFaults, judgeSimulation, judgeTests, type Ran, type Verdict } from './judgement.js';
import type { Mutant } from './mutant.js';
import { runProgram } from './program.js';

/** In the order of their cost. */
export const LAYERS = ['unit', 'simulation', 'e2e', 'faults'] as const;
export type Layer = (typeof LAYERS)[number];

/** Where the layers run. */
export interface Ground {
  /** The copy of the project. */
  folder: string;
  /** mysql://user:password@host:port for the e2e tests, so that not every run starts a server. */
  serverUrl: string;
}

/** A run of one layer: the same command means the same run. */
export interface LayerRun {
  layer: Layer;
  /** For people, where a layer has several. */
  what: string;
  words: readonly string[];
  needs: Built;
  limitMs: number;
  judge: (ran: Ran) => Verdict;
}

const MINUTE_MS = 60_000;
const SEEDS = '300';
const DEFAULT_E2E = ['feed', 'listing', 'concurrency', 'walk'];
const DEFAULT_FAULTS: FaultProfile = 'two processes';
const REPORTED = ['--bail', '--reporters', './test/mutants/failure-reporter.js'];
/** What is built for what: the service in any case, because only a mutant that builds is one. */
const SCRIPTS = { service: 'build:service', tools: 'tools' };
export type Built = keyof typeof SCRIPTS;

/** What is run for a mutant in a layer; without one, the layer's usual run. */
export function layerRun(layer: Layer, { e2e = DEFAULT_E2E, faults = DEFAULT_FAULTS }: Partial<Mutant>): LayerRun {
  switch (layer) {
    case 'unit':
      return jestRun(layer, 'the specs beside the sources', ['/src/'], 2 * MINUTE_MS);
    case 'simulation': {
      const words = ['node', '.tools/test/simulation/main.js', '--seeds', SEEDS];
      return { layer, what: `${SEEDS} seeds`, words, needs: 'tools', limitMs: 3 * MINUTE_MS, judge: judgeSimulation };
    }
    case 'e2e':
      return jestRun(layer, e2e.join(', '), e2e.map((name) => `/${name}.e2e-spec`), 6 * MINUTE_MS); // prettier-ignore
    case 'faults': {
      const words = ['node', '.tools/test/faults/main.js', ...faultOptions(faults)];
      return { layer, what: faults, words, needs: 'tools', limitMs: 5 * MINUTE_MS, judge: judgeFaults };
    }
  }
}

/** The refuted designs, which are no code. */
export const MODEL_RUN = jestRun('unit', 'the model', ['/feed-model.spec'], 3 * MINUTE_MS);

function jestRun(layer: Layer, what: string, patterns: readonly string[], limitMs: number): LayerRun {
  const project = layer === 'e2e' ? 'e2e' : 'unit';
  const words = ['npx', 'jest', '--selectProjects', project, ...REPORTED, '--testPathPatterns', ...patterns];
  return { layer, what, words, needs: 'service', limitMs, judge: judgeTests };
}

export async function runLayer({ words, limitMs, judge }: LayerRun, { folder, serverUrl }: Ground): Promise<Verdict> {
  return judge(await runProgram(words, folder, limitMs, { TEST_DATABASE_URL: serverUrl }));
}

/** @returns what the compiler says against it; undefined when it built */
export async function build(what: Built, folder: string): Promise<string | undefined> {
  const { code, output } = await runProgram(['npm', 'run', '--silent', SCRIPTS[what]], folder, 3 * MINUTE_MS);
  return code === 0 ? undefined : output.trim();
}
