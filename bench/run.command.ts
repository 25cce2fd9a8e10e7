import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve as resolvePath } from 'node:path';
import { type Command, Option } from 'commander';
import { decimal, wholeNumber } from '../test/support/arguments.js';
import { type DatabaseName, DATABASES } from './databases.js';
import { folderFor, numbers } from './folder.js';
import { Generators } from './load/generators.js';
import { lineOf, markdownOf } from './report/table.js';
import { run } from './run.js';
import { WORK_IDS, WORKS } from './works.js';

const SIZES = [20_000, 1_000_000];

interface Options {
  database: DatabaseName[];
  size?: number[];
  processes?: number[];
  works: string[];
  rounds?: number;
  seconds?: number;
  connections: number;
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
    .option('--size <number>', `assets; may be repeated (default: ${SIZES.join(' and ')})`, numbers)
    .option('--processes <number>', 'of each server; may be repeated (default: 1, and as many as cores)', numbers)
    .option('--works <ids>', `of ${WORK_IDS.join(',')}`, checkWorks, WORK_IDS)
    .option('--rounds <number>', 'measurements of each (default: 3)', wholeNumber)
    .option('--seconds <number>', 'of each measurement (default: 3)', decimal)
    .option('--connections <number>', 'that ask at the same time', wholeNumber, 64)
    .option('--quick', 'for trying: 20,000 assets, one round of 2 seconds')
    .option('--keep <folder>', 'keeps the databases there for later runs')
    .option('--profile <folder>', 'writes a CPU profile of each process there')
    .option('--output <file>', 'writes all results there as JSON')
    .action(runCommand);
}

async function runCommand(options: Options): Promise<void> {
  const { database, works, connections, quick = false, profile, output } = options;
  const folder = folderFor(options.keep);
  if (profile !== undefined) mkdirSync(profile, { recursive: true });
  const generators = new Generators();
  const settings = {
    databases: database,
    sizes: options.size ?? (quick ? SIZES.slice(0, 1) : SIZES),
    processes: options.processes ?? [...new Set([1, availableParallelism()])],
    works: WORKS.filter(({ id }) => works.includes(id)),
    rounds: options.rounds ?? (quick ? 1 : 3),
    ms: (options.seconds ?? (quick ? 2 : 3)) * 1_000,
    connections,
    folder,
    profile: profile && resolvePath(profile),
  };
  try {
    const results = await run(settings, generators.run, (row) => console.log(lineOf(row)));
    if (output !== undefined) writeFileSync(output, `${JSON.stringify(results, undefined, 1)}\n`);
    console.log(`\n${results.machine}; ${results.databases.join(', ')}\n\n${markdownOf(results.rows)}`);
  } finally {
    generators.stop();
  }
}
