import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { removeFolder } from '../../scripts/machine/remove-folder.js';
import { shownProgress } from '../../src/commands/shown-progress.js';
import { wholeNumber } from '../../test/support/arguments.js';
import { ServiceProcess } from '../../test/support/process.js';
import { DataSet } from '../data-set/data-set.js';
import { prepareRegistry } from '../data-set/write.js';
import { type DatabaseName, DATABASES, openDatabases } from '../databases.js';
import { folderFor } from '../folder.js';
import { cpuSecondsOf } from '../load/usage.js';
import { machine } from '../machine.js';
import { askWhile, indexIn, positionOf, told } from './building.js';
import { tellHeaviest } from './heaviest.js';
import { compareQueries } from './queries.js';

interface Options {
  assets: number;
  rounds: number;
  database: DatabaseName;
  keep?: string;
}

/** Of reading while nothing is built. */
const AFTERWARDS_MS = 10_000;

export function addSearch(program: Command): void {
  program
    .command('search')
    .description(
      'how long the search index takes to build, what reads meet meanwhile, what a search costs beside a page of the listing, and what the heaviest ones do',
    )
    .option('--assets <number>', 'in the data set', wholeNumber, 1_000_000)
    .option('--rounds <number>', 'of each query, each time at another place of the feed', wholeNumber, 300)
    .option('--database <name>', DATABASES.join(' or '), 'sqlite')
    .option('--keep <folder>', 'keeps the databases there for later runs')
    .action(measure);
}

async function measure({ assets, rounds, database, keep }: Options): Promise<void> {
  const folder = folderFor(keep);
  const databases = await openDatabases(database, folder);
  try {
    const dataSet = new DataSet(assets);
    const { registry } = await databases.urlsFor(assets);
    await prepareRegistry(registry, dataSet, shownProgress());
    console.log(`${machine()}; ${databases.origin}, ${assets} assets`);
    const index = indexIn(folder, database, assets);
    // What an earlier run has built is asked as it is.
    if (positionOf(index) < lastListedOf(dataSet)) await build(registry, index, dataSet);
    await compareQueries(registry, index, dataSet, rounds);
    await tellHeaviest(registry, index, dataSet, databases.pids);
  } finally {
    await databases.stop();
  }
}

/** Of the last two, one is listed. */
function lastListedOf(dataSet: DataSet): number {
  return dataSet.instantOf(dataSet.size - 2);
}

/** By a service of its own, which is asked for single assets meanwhile. */
async function build(databaseUrl: string, index: string, dataSet: DataSet): Promise<void> {
  for (const end of ['', '-wal', '-shm']) removeFolder(index + end);
  const service = await ServiceProcess.start({ DATABASE_URL: databaseUrl, SEARCH_INDEX: index });
  try {
    const began = performance.now();
    const meanwhile = await askWhile(service.url, dataSet, () => positionOf(index) < lastListedOf(dataSet));
    const seconds = (performance.now() - began) / 1_000;
    const processor = cpuSecondsOf([service.pid]);
    console.log(
      `built in ${seconds.toFixed(1)} s, ${processor.toFixed(0)} s of the processor with the reads, ` +
        `${Math.round(statSync(index).size / 1e6)} MB`,
    );
    console.log(`reads of one asset meanwhile: ${told(meanwhile)}`);
    const end = performance.now() + AFTERWARDS_MS;
    console.log(`afterwards: ${told(await askWhile(service.url, dataSet, () => performance.now() < end))}`);
  } finally {
    await service.kill('SIGTERM');
  }
}
