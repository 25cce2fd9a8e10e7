/*
 * npm run test:mutants: proves that the tests can fail. Each mutant is the service with one defect; the layers of the tests are asked, the
 * cheapest first, until one of them finds it.
 */
import { Command, Option } from 'commander';
import { findDatabaseServer } from '../support/database-server.js';
import { type Ground, type Layer, LAYERS, MODEL_RUN } from './layers.js';
import { type Mutant, PatchError } from './mutant.js';
import { MUTANTS } from './mutants.js';
import { ProjectCopy } from './project-copy.js';
import { REFUTED } from './refuted-designs.js';
import { isCaught, table } from './report.js';
import { SoundError, type Trial, Trier } from './trial.js';

interface Options {
  only?: string[];
  list?: true;
  layers: Layer[];
  allLayers?: true;
}

function program(): Command {
  return new Command('npm run test:mutants --')
    .description('Spoils the service in one place after the other, in a copy, and looks which tests fail')
    .addOption(new Option('--only <name...>', 'only these mutants').choices(MUTANTS.map(({ name }) => name)))
    .option('--list', 'say which there are, and end')
    .addOption(new Option('--layers <layer...>', 'only these layers').choices(LAYERS).default(LAYERS))
    .option('--all-layers', 'go on after the first layer that finds a mutant');
}

async function tryAll(copy: ProjectCopy, trier: Trier, mutants: readonly Mutant[], options: Options): Promise<Trial[]> {
  const trials: Trial[] = [];
  await trier.mustPass(MODEL_RUN);
  for (const mutant of mutants) {
    console.log(`[${trials.length + 1}/${mutants.length}] ${mutant.name}`);
    const putBack = copy.apply(mutant);
    trials.push(await trier.try(mutant, options.layers, options.allLayers === true));
    putBack();
  }
  return trials;
}

async function tryOn(serverUrl: string, mutants: readonly Mutant[], options: Options): Promise<Trial[]> {
  const [sound, spoilt] = [new ProjectCopy(process.cwd()), new ProjectCopy(process.cwd())];
  try {
    const [soundGround, ground] = [sound, spoilt].map(({ folder }) => ({ folder, serverUrl })) as [Ground, Ground];
    const trier = new Trier(soundGround, ground, (line) => console.log(line));
    return await tryAll(spoilt, trier, mutants, options);
  } finally {
    for (const copy of [sound, spoilt]) copy.remove();
  }
}

async function main(): Promise<void> {
  const options = program().parse().opts<Options>();
  if (options.list) {
    for (const { name, breaks } of MUTANTS) console.log(`${name}: ${breaks}`);
    return;
  }
  const mutants = MUTANTS.filter(({ name }) => options.only?.includes(name) ?? true);
  const server = await findDatabaseServer();
  try {
    const trials = await tryOn(server.url, mutants, options);
    const missed = trials.filter((trial) => !isCaught(trial));
    console.log(
      `\n${table(trials, REFUTED)}\n\n${trials.length - missed.length} of ${trials.length} mutants are caught`,
    );
    if (missed.length > 0) process.exitCode = 1;
  } catch (error) {
    if (!(error instanceof PatchError || error instanceof SoundError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  } finally {
    await server.stop();
  }
}

await main();
