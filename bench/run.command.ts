import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { type Command, Option } from 'commander';
import { decimal, wholeNumber } from '../test/support/arguments.js';
import { type DatabaseName, DATABASES } from './databases.js';
import { type Extent, leftOutOf, QUICK, WHOLE } from './extent.js';
import { folderFor, numbers } from './folder.js';
import { Generators } from './load/generators.js';
import { loadAverage, machine } from './machine.js';
import { LEGEND, lineOf, markdownOf } from './report/table.js';
import { run } from './run.js';
import { WORK_IDS, WORKS } from './works.js';

interface Options {
  database: DatabaseName[];
  size?: number[];
  processes?: number[];
  works?: string[];
  rounds?: number;
  seconds?: number;
  connections: number;
  fastify?: boolean;
  quick?: boolean;
  keep?: string;
  profile?: string;
  output?: string;
}

function checkWorks(text: string): string[] {
  const ids = text.split(',');
  const unknown = ids.filter((id) => !WORK_IDS.includes(id));
  if (unknown.length > 0) throw new Error(`There is no work ${unknown.join(', ')}: they are ${WORK_IDS.join(', ')}`);
  return ids;
}

export function addRun(program: Command): void {
  program
    .command('run', { isDefault: true })
    .description('floor and registry in turn, in every work; about 40 minutes')
    .addOption(new Option('--database <name...>', 'may be repeated').choices(DATABASES).default([...DATABASES]))
    .option('--size <number>', `assets; may be repeated (default: ${WHOLE.sizes.join(' and ')})`, numbers)
    .option('--processes <number>', 'of each server; may be repeated (default: 1, and as many as cores)', numbers)
    .option('--works <ids>', `of ${WORK_IDS.join(',')} (default: all)`, checkWorks)
    .option('--rounds <number>', 'measurements of each (default: 3)', wholeNumber)
    .option('--seconds <number>', 'of each measurement (default: 3)', decimal)
    .option('--connections <number>', 'that ask at the same time', wholeNumber, 64)
    .option('--fastify', 'a server of Fastify, too: what people would pick to write the same')
    .option('--quick', 'within five minutes on two cores; says what it leaves out')
    .option('--keep <folder>', 'keeps the databases there for later runs')
    .option('--profile <folder>', 'writes a CPU profile of each process there')
    .option('--output <file>', 'writes all results there as JSON')
    .action(runCommand);
}

async function runCommand(options: Options): Promise<void> {
  const { connections, fastify = false, profile, output } = options;
  const extent = extentOf(options);
  const folder = folderFor(options.keep);
  if (profile !== undefined) mkdirSync(profile, { recursive: true });
  const generators = new Generators();
  const settings = {
    ...extent,
    databases: options.database,
    connections,
    fastify,
    folder,
    profile: profile && resolvePath(profile),
  };
  console.log(`${machine()}, load average ${loadAverage()}\n${LEGEND}\n`);
  try {
    const results = await run(settings, generators.run, (row) => console.log(lineOf(row)));
    if (output !== undefined) writeFileSync(output, `${JSON.stringify(results, undefined, 1)}\n`);
    console.log(`\n${results.machine}; ${results.databases.join(', ')}\n\n${markdownOf(results.rows)}`);
    if (options.quick) console.log(['--quick leaves out', ...leftOutOf(extent)].join('\n- '));
  } finally {
    generators.stop();
  }
}

/** What is asked for one by one counts more than `--quick`. */
function extentOf({ quick = false, size, processes, works, rounds, seconds }: Options): Extent {
  const usual = quick ? QUICK : WHOLE;
  return {
    sizes: size ?? usual.sizes,
    processes: processes ?? usual.processes,
    works: works === undefined ? usual.works : WORKS.filter(({ id }) => works.includes(id)),
    rounds: rounds ?? usual.rounds,
    ms: seconds === undefined ? usual.ms : seconds * 1_000,
  };
}
